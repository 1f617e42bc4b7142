import { warmWorkersSchema } from '../../../lib/platform/config/warm-workers.ts';
import { type Scaling, scalingSchema } from '../../../lib/workers/scaling/launches.ts';
import { type ScaleContext, scaleWorkers } from '../../../lib/workers/scaling/scale-workers.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Policy, Task, World } from './world.ts';

/** Seconds without work after which a worker stops (`idleMinutes`: 2). */
const IDLE = 120;

/** What the deciding function knows of earlier workers. */
interface Known {
  readonly task: Task;
  leftAt?: number;
}

/** Our policy: the real `scaleWorkers` with the data of a simulated deployment; idle workers stop. */
export class OurPolicy implements Policy {
  readonly name = 'ours';
  readonly #known: Known[] = [];
  #scaling: Scaling = scalingSchema.parse({});
  #tokens = 0;
  #asked = false;
  #lastBatchAt = Number.NEGATIVE_INFINITY;

  onWork(world: World): void {
    // The stream's function is called with all changes since its last call.
    if (this.#asked) return;
    this.#asked = true;
    const isCold = world.now - this.#lastBatchAt > 600;
    this.#lastBatchAt = world.now;
    world.after(wakeSeconds(world.random, isCold), async () => {
      this.#asked = false;
      await this.everyMinute(world);
    });
  }

  onLoss(world: World): void {
    this.onWork(world);
  }

  onIdle(world: World, task: Task): void {
    const { idleSince } = task;
    const isStill = () => !task.gone && task.job === undefined && task.idleSince === idleSince;
    world.after(IDLE, () => {
      if (!isStill()) return;
      task.leaving = 'idle';
      // Its polls for messages, twenty seconds each, end first; then it polls a last time.
      world.after(1 + 20 * world.random.next(), () => {
        if (isStill() && task.leaving === 'idle') world.stop(task, 'itself');
      });
    });
  }

  async everyMinute(world: World): Promise<void> {
    await scaleWorkers(this.#context(world));
  }

  #context(world: World): ScaleContext {
    const now = () => Math.round(world.now * 1_000);
    for (const known of this.#known) if (known.task.gone) known.leftAt ??= world.now;
    const change = (judge: (known: Scaling) => Scaling): Scaling => {
      this.#scaling = judge(this.#scaling);
      return this.#scaling;
    };
    return {
      clock: { now },
      emitMetrics: () => undefined,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      settings: {
        maxWorkers: world.maxWorkers,
        concurrency: 1,
        spotWeight: world.trace.spotWeight,
        warmWorkers: warmWorkersSchema.parse({}),
      },
      wantedBuild: async () => 'worker:1',
      newToken: () => {
        this.#tokens += 1;
        return `token${this.#tokens}`;
      },
      readDemand: async () => ({
        waiting: world.visible,
        running: world.tasks.filter(({ job }) => job !== undefined && !job.login).length,
        logins: world.waiting.length - world.visible + world.tasks.filter(({ job }) => job?.login).length,
        bindings: 0,
      }),
      scaling: {
        read: async () => this.#scaling,
        replace: async (_known, next) => change(() => next),
        change: async (judge) => change(judge),
      },
      workers: {
        recent: async () => this.#recent(world),
        living: (workers) => workers.filter(({ left_at }) => left_at === undefined),
      },
      tasks: {
        run: async ({ count, provider }) => {
          const spot = provider === 'FARGATE_SPOT';
          if (spot && world.spotIsShort) return { tasks: [], failure: 'Capacity is unavailable at this time' };
          const launched = Array.from({ length: count }, () => world.launch(spot));
          this.#known.push(...launched.map((task) => ({ task })));
          return { tasks: launched.map(({ id }) => id) };
        },
        ended: async (ids) => {
          const gone = this.#known.filter(({ task }) => task.gone && ids.includes(task.id));
          return new Map(gone.map(({ task }) => [task.id, 'SpotInterruption']));
        },
      },
    };
  }

  /** Workers that have registered, including those that stopped within the last ten minutes. */
  #recent(world: World) {
    const recent = this.#known.filter(({ leftAt }) => leftAt === undefined || leftAt > world.now - 600);
    this.#known.splice(0, this.#known.length, ...recent);
    return recent
      .filter(({ task }) => task.readyAt !== undefined)
      .map(({ task, leftAt }) => ({
        id: task.id,
        task: task.id,
        build: 'worker:1',
        host: '',
        version: '',
        concurrency: 1,
        running: task.job === undefined ? [] : [String(task.job.id)],
        started_at: '',
        seen_at: '',
        ...(task.leaving !== undefined && { leaving: task.leaving }),
        ...(leftAt !== undefined && { left_at: String(leftAt) }),
      }));
  }
}

/**
 * Seconds from a job's write to the call of RunTask. The stream: 0.12 to 0.55 (p10 to p99, bitesizedserverless.com 2022);
 * the counting function from cold: 0.25 to 0.45 (node 24 with three clients, speedrun.nobackspacecrew.com 2025), the other is
 * called every minute and warm; both functions' reads and writes, and the call between them: 0.1 to 0.3 (own estimate).
 */
function wakeSeconds(random: SeededRandom, isCold: boolean): number {
  const stream = 0.12 + 0.43 * random.next() ** 2;
  const cold = isCold ? 0.25 + 0.2 * random.next() : 0;
  return stream + cold + 0.1 + 0.2 * random.next();
}
