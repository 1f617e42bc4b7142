import { SeededRandom } from '../seeded-random.ts';
import { LaunchRate, startSeconds, taskPrice } from './fargate.ts';
import type { Trace, TracedJob } from './traces.ts';

/**
 * Seconds that a worker takes from its container's start to its first poll. The bundled worker took 0.48 to 0.61
 * against the emulators (four of six starts on two busy cores); connecting to DynamoDB and SQS by TLS adds 0.1 to 0.25.
 */
const BOOT = { from: 0.55, to: 0.9 } as const;
/** Seconds that a job has to end after SIGTERM before it is released (PROMPTQ_STOP_GRACE_SECONDS). */
const GRACE = 100;

export interface Job extends TracedJob {
  readonly id: number;
  /** Seconds from its arrival to its first start. */
  waited?: number;
  /** Seconds of that which its task took to start; only of jobs for which one was started. */
  ofTask?: number;
  ended?: boolean;
}

export interface Task {
  readonly id: string;
  readonly spot: boolean;
  readonly launchedAt: number;
  readonly startSeconds: number;
  /** Undefined until it polls for messages. */
  readyAt?: number;
  job?: Job | undefined;
  idleSince: number;
  leaving?: 'idle' | 'stopped' | undefined;
  gone?: boolean;
}

/** What a way of scaling does; times are seconds. */
export interface Policy {
  readonly name: string;
  /** Work has appeared: a job waits, or a login. */
  onWork?(world: World): void;
  /** A task has nothing to do. */
  onIdle?(world: World, task: Task): void;
  /** Spot has taken a task. */
  onLoss?(world: World): void;
  everyMinute(world: World): Promise<void> | void;
}

/** One trace under one policy, in virtual time: jobs in a fair queue, tasks that start, work and stop. */
export class World {
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly jobs: readonly Job[];
  readonly tasks: Task[] = [];
  readonly waiting: Job[] = [];
  readonly maxWorkers: number;
  now = 0;
  dollars = 0;
  /** Busy tasks that the policy ended, and that Spot took. */
  killed = 0;
  reclaimed = 0;
  readonly #policy: Policy;
  readonly #rate = new LaunchRate();
  readonly #events: { at: number; order: number; run: () => Promise<void> | void }[] = [];
  readonly #busyOf = new Map<string, number>();
  #order = 0;
  #open: number;

  constructor(trace: Trace, policy: Policy, options: { seed: number; maxWorkers: number }) {
    this.trace = trace;
    this.random = new SeededRandom(options.seed);
    this.maxWorkers = options.maxWorkers;
    this.jobs = trace.jobs.map((job, id) => ({ ...job, id }));
    this.#open = this.jobs.length;
    this.#policy = policy;
    for (const job of this.jobs) this.after(job.at, () => this.#wait(job));
    for (const { at } of trace.storms) this.after(at, () => this.#storm());
    const phase = 60 * this.random.next();
    const minute = async (): Promise<void> => {
      await policy.everyMinute(this);
      this.after(60, minute);
    };
    this.after(phase, minute);
  }

  /** Runs until all jobs are done and all tasks have stopped. */
  async run(): Promise<void> {
    for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
      if (next.at > this.trace.end) break;
      this.now = next.at;
      await next.run();
      if (this.#open === 0 && this.tasks.length === 0) return;
    }
    for (const task of [...this.tasks]) this.#end(task);
  }

  after(seconds: number, run: () => Promise<void> | void): void {
    this.#order += 1;
    const event = { at: this.now + seconds, order: this.#order, run };
    let at = this.#events.length;
    while (at > 0 && isBefore(event, this.#events[at - 1])) at -= 1;
    this.#events.splice(at, 0, event);
  }

  /** What SQS counts as visible: a login is no message. */
  get visible(): number {
    return this.waiting.filter(({ login }) => !login).length;
  }

  get spotIsShort(): boolean {
    return this.trace.storms.some(({ at, seconds }) => at <= this.now && this.now < at + seconds);
  }

  launch(spot: boolean, delay = 0): Task {
    const start = startSeconds(this.random) + this.#rate.wait(this.now) + delay;
    const id = `task${this.#order}`;
    const task: Task = { id, spot, launchedAt: this.now, startSeconds: start, idleSince: this.now };
    this.tasks.push(task);
    const boot = BOOT.from + (BOOT.to - BOOT.from) * this.random.next();
    this.after(start + boot, () => {
      if (task.gone) return;
      task.readyAt = this.now;
      this.#work(task);
    });
    return task;
  }

  /** Ends a task: a busy one releases its job, unless the job ends within the grace. */
  stop(task: Task, by: 'policy' | 'spot' | 'itself'): void {
    const { job } = task;
    if (job === undefined) {
      this.#end(task);
      return;
    }
    task.leaving = 'stopped';
    this.after(GRACE, () => {
      if (task.job !== job || task.gone) return;
      if (by === 'policy') this.killed += 1;
      else this.reclaimed += 1;
      this.#free(task);
      this.#end(task);
      this.#wait(job);
    });
  }

  #wait(job: Job): void {
    this.waiting.push(job);
    for (const task of this.tasks) if (isIdle(task) && this.#work(task)) return;
    this.#policy.onWork?.(this);
  }

  #storm(): void {
    for (const task of [...this.tasks]) {
      if (!task.spot || task.leaving === 'stopped') continue;
      if (task.readyAt === undefined) this.#end(task);
      else this.stop(task, 'spot');
    }
    this.#policy.onLoss?.(this);
  }

  /** Has an idle task take a job of the project with the fewest running, as SQS's fair queues do. */
  #work(task: Task): boolean {
    if (!isIdle(task)) return false;
    let best = -1;
    this.waiting.forEach((job, at) => {
      const of = (one: Job | undefined) => (one === undefined ? Infinity : (this.#busyOf.get(one.project) ?? 0));
      if (of(job) < of(this.waiting[best])) best = at;
    });
    const [job] = best < 0 ? [] : this.waiting.splice(best, 1);
    if (job === undefined) {
      task.idleSince = this.now;
      this.#policy.onIdle?.(this, task);
      return false;
    }
    if (job.waited === undefined) {
      job.waited = this.now - job.at;
      if (task.launchedAt >= job.at) job.ofTask = task.startSeconds;
    }
    task.job = job;
    task.leaving = undefined;
    this.#busyOf.set(job.project, (this.#busyOf.get(job.project) ?? 0) + 1);
    this.after(job.seconds, () => {
      if (task.job !== job) return;
      job.ended = true;
      this.#open -= 1;
      this.#free(task);
      if (task.leaving === 'stopped') this.#end(task);
      else this.#work(task);
    });
    return true;
  }

  #free(task: Task): void {
    const project = task.job?.project ?? '';
    this.#busyOf.set(project, (this.#busyOf.get(project) ?? 1) - 1);
    task.job = undefined;
  }

  #end(task: Task): void {
    if (task.gone) return;
    task.gone = true;
    this.tasks.splice(this.tasks.indexOf(task), 1);
    const { startSeconds: start, launchedAt, spot } = task;
    const lived = this.now - launchedAt;
    this.dollars += taskPrice({ start: Math.min(start, lived), life: Math.max(0, lived - start), spot });
  }
}

function isBefore(one: { at: number; order: number }, other: { at: number; order: number } | undefined): boolean {
  return other !== undefined && (one.at < other.at || (one.at === other.at && one.order < other.order));
}

function isIdle(task: Task): boolean {
  return task.readyAt !== undefined && task.job === undefined && task.leaving !== 'stopped' && task.gone !== true;
}
