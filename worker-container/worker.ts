import { type ClaimContext, claim } from '../lib/jobs/claim.ts';
import type { HeldPermit } from '../lib/jobs/permit.ts';
import { type WatchContext, watchRunning } from '../lib/jobs/watch-jobs.ts';
import { type AttemptContext, runAttempt } from './attempt.ts';
import { machineTiming, pause } from './output/timing.ts';
import type { PermitSource } from './permit-source.ts';

/** Milliseconds before a slot goes on after an unexpected fault. */
const FAULT_PAUSE = 1_000;

export interface WorkerContext extends AttemptContext, WatchContext, ClaimContext {
  readonly source: PermitSource;
}

/** Signals of a worker's own end. */
export interface WorkerSignals {
  /** No new permits. */
  readonly draining: AbortSignal;
  /** Running attempts are to be handed back. */
  readonly stopping: AbortSignal;
}

/** Slots that take permits and run attempts until they are told to stop. */
export class Worker {
  readonly #context: WorkerContext;
  readonly #signals: WorkerSignals;
  readonly #running = new Set<string>();

  constructor(context: WorkerContext, signals: WorkerSignals) {
    this.#context = context;
    this.#signals = signals;
  }

  /** Ids of the jobs that run now. */
  get running(): string[] {
    return [...this.#running];
  }

  /** Runs until `draining` is aborted and every attempt has ended. */
  async run(slots: number): Promise<void> {
    await Promise.all(Array.from({ length: slots }, () => this.#slot()));
  }

  async #slot(): Promise<void> {
    const { source, log, timing = machineTiming } = this.#context;
    while (!this.#signals.draining.aborted) {
      const held = await source.next(this.#signals.draining);
      if (held === undefined) continue;
      try {
        await this.#use(held);
      } catch (error) {
        log.error('a permit could not be used; it comes back by itself', error as Error);
        await pause(timing, FAULT_PAUSE);
      }
    }
  }

  async #use(held: HeldPermit): Promise<void> {
    const { permits, workerId } = this.#context;
    if (this.#signals.draining.aborted) return permits.extend(held, 0);
    const claimed = await claim(this.#context, held, workerId);
    if (claimed.kind === 'claimed') {
      this.#running.add(claimed.job.id);
      try {
        return await runAttempt(this.#context, claimed.job, held, this.#signals.stopping);
      } finally {
        this.#running.delete(claimed.job.id);
      }
    }
    // A permit that came back may be that of a worker that died: its job still says RUNNING.
    if (held.receives > 1) await watchRunning(this.#context);
    return claimed.kind === 'drop' ? permits.drop(held) : permits.extend(held, claimed.seconds);
  }
}
