import { standingFailure } from '../../workers/scaling/launches.ts';
import type { ScalingStore } from '../../workers/scaling/scaling-store.ts';
import type { Job } from '../lifecycle/job.ts';
import type { ProbeStore } from './probes.ts';

/** Begins what waiting jobs say while launches fail. */
export const NOT_STARTED = 'No worker could be started';

type Waiting = Pick<Job, 'status' | 'reason' | 'due_at'>;

/** A job with what is known beyond its item of why it waits. */
export type Annotated<J> = J & { readonly waiting_note?: string };

/** What is known beyond a job's item of why it waits, and of when somebody looks next. */
export class WhyWaiting {
  readonly #probes: ProbeStore;
  readonly #scaling: ScalingStore;

  constructor({ probes, scaling }: { probes: ProbeStore; scaling: ScalingStore }) {
    this.#probes = probes;
    this.#scaling = scaling;
  }

  /** Tells what waits for the vendor when it is tried next, and what waits for a worker whether none can be started. */
  async annotate<J extends Waiting>(jobs: readonly J[]): Promise<Annotated<J>[]> {
    const dated = await this.#probes.dated(jobs);
    if (!dated.some(waitsForWorker)) return dated;
    const failure = standingFailure(await this.#scaling.read({ consistent: false }));
    if (failure === undefined) return dated;
    const { reason, retry_at } = failure;
    const note = { waiting_note: `${NOT_STARTED}: ${reason}.`, due_at: retry_at };
    return dated.map((job) => (waitsForWorker(job) ? { ...job, ...note } : job));
  }
}

function waitsForWorker({ status, reason }: Waiting): boolean {
  return status === 'QUEUED' && (reason === 'waiting_for_worker' || reason === 'worker_lost');
}
