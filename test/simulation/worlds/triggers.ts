import { AutomationStore } from '../../../lib/automations/automation-store.ts';
import { fireDue } from '../../../lib/automations/fire-due.ts';
import { ProfileStore } from '../../../lib/catalog/profiles.ts';
import { JobCounts } from '../../../lib/counters/counts.ts';
import { AccountWaits } from '../../../lib/events/account-waits.ts';
import { EventFeed } from '../../../lib/events/event-feed.ts';
import { eventsIn } from '../../../lib/events/events-in.ts';
import { sweepGates } from '../../../lib/jobs/admission/gates.ts';
import { effectOf } from '../../../lib/jobs/lifecycle/effects.ts';
import { runDueEffects } from '../../../lib/reconciler/after-attempt.ts';
import { readWaiting } from '../../../lib/reconciler/reconcile-jobs.ts';
import { reconcile } from '../../../lib/reconciler/reconciler.ts';
import { ModelClient } from '../model/client.ts';
import { ENV } from '../model/environment.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import type { ModelDeployment } from './deployment.ts';
import { SHARDS } from './job-stream.ts';
import { startProcess, watchOf } from './workers.ts';

/** Lambda ends an invocation after so many milliseconds. */
const LONGEST_INVOCATION = 60_000;

/** What runs without a client: the reconciler, every minute, and the counting of the table's stream, which the feed of events is made of. */
export class ModelTriggers {
  readonly #deployment: ModelDeployment;
  readonly #counted = Array.from({ length: SHARDS }, () => 0);
  #invocations = 0;
  #isLost = false;
  #over = false;

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
  }

  /** Whether everything that was written has been counted. */
  get hasCounted(): boolean {
    return this.#counted.every((position, shard) => position === this.#deployment.stream.shards[shard]?.length);
  }

  stop(): void {
    this.#over = true;
  }

  /** The queues were lost: the next run of the reconciler reissues all messages on request. */
  noteLoss(): void {
    this.#isLost = this.#deployment.random.chance(0.5);
  }

  async watchEveryMinute(): Promise<void> {
    const { time, faults } = this.#deployment;
    while (!this.#over) {
      await time.sleep(60_000);
      if (!faults.happens('watch missed', 0.2)) void this.#invoke('watch', (process) => this.#watch(process));
    }
  }

  /** Delivers each batch of a shard until it succeeds, and sometimes once more. */
  async countShard(shard: number): Promise<void> {
    const { time, faults, random, stream } = this.#deployment;
    const records = stream.shards[shard] ?? [];
    while (!this.#over) {
      await time.sleep(1_000);
      while ((this.#counted[shard] ?? 0) < records.length) {
        const from = this.#counted[shard] ?? 0;
        const batch = records.slice(from, from + random.integer(1, 60));
        const isDone = await this.#invoke('count', async (process) => {
          const { table } = new ModelClient(this.#deployment, process, { id: process.name, doing: 'count' });
          const registry = { table, registryTable: ENV.REGISTRY_TABLE };
          const clock = { now: () => time.wall };
          const changes = batch.flatMap(({ sequence, jobs }) => (jobs === undefined ? [] : [{ sequence, ...jobs }]));
          const rows = batch.flatMap(({ sequence, jobs, event }) =>
            jobs !== undefined || event === undefined ? [] : [{ sequence, event }],
          );
          const events = [
            ...(await eventsIn(new AccountWaits({ ...registry, profiles: new ProfileStore(registry) }), changes)),
            ...rows,
          ];
          await new EventFeed({ ...registry, clock }).append(`shard-${shard}`, events);
          await new JobCounts(registry).apply(
            `shard-${shard}`,
            batch.filter(({ jobs }) => jobs !== undefined),
          );
          const types = new Set(events.map(({ event: { type } }) => type));
          // The minute's pass makes up for a failure.
          await this.#deployment.wakeReaders?.(process, types).catch(() => undefined);
        });
        if (!isDone) await time.sleep(1_000);
        else if (!faults.happens('batch repeated', 0.1)) this.#counted[shard] = from + batch.length;
      }
    }
  }

  async #watch(process: SimulatedProcess): Promise<void> {
    const services = watchOf(this.#deployment, process, { id: process.name, doing: 'watch' });
    const readReceipt: typeof services.readReceipt = async (...attempt) => {
      if (this.#deployment.faults.happens('receipt unreadable', 0.05)) throw new Error('the receipt is unreadable');
      return await services.readReceipt(...attempt);
    };
    const context = { ...services, readReceipt };
    // A failure does not keep jobs from being reconciled.
    const fired = fireDue({
      ...context,
      automations: new AutomationStore({ ...services.registry, jobsTable: ENV.JOBS_TABLE }),
    });
    fired.catch(() => undefined);
    await this.#deployment.wakeReaders?.(process).catch(() => undefined);
    await this.#reconcile(context);
    await fired;
  }

  async #reconcile(context: ReturnType<typeof watchOf>): Promise<void> {
    // Without faults no worker is lost: everything else must happen without the reconciler.
    if (this.#deployment.faults.weather !== 'stormy') {
      // A message that is accepted while its job ends can leave both to the reconciler.
      await runDueEffects(context);
      // A deletion is repeated by the reconciler.
      if (this.#deployment.allJobs().some((job) => effectOf(job, 'delete_output') !== undefined))
        await runDueEffects(context, { slow: true });
      await sweepGates(context, (await readWaiting(context)).gates);
      return;
    }
    const isRedrive = this.#isLost;
    await reconcile(context, { redrive: isRedrive });
    await runDueEffects(context, { lost: isRedrive });
    await runDueEffects(context, { slow: true });
    if (!isRedrive) return;
    this.#deployment.tellEvent('messages reissued');
    this.#isLost = false;
  }

  /** @returns whether it completed; it may continue although the caller no longer waits. */
  #invoke(name: string, run: (process: SimulatedProcess) => Promise<void>): Promise<boolean> {
    this.#invocations += 1;
    const process = startProcess(this.#deployment, `${name}-${this.#invocations}`);
    return new Promise((resolve) => {
      process.onDeath(() => resolve(false));
      this.#deployment.time.schedule(() => resolve(false), LONGEST_INVOCATION);
      run(process).then(
        () => resolve(true),
        () => resolve(false),
      );
    });
  }
}
