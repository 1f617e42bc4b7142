import type { ProbeStore } from '../../jobs/admission/probes.ts';
import type { Job } from '../../jobs/lifecycle/job.ts';
import type { Annotated } from '../../jobs/views/job-view.ts';
import { standingFailure } from './launches.ts';
import type { ScalingStore } from './scaling-store.ts';

/** Prefix of a waiting job's note while launches fail. */
export const NOT_STARTED = 'No worker could be started';

type Waiting = Pick<Job, 'status' | 'reason' | 'due_at'>;

/** Explains why jobs wait, and when they are checked next, from sources other than their items. */
export class WhyWaiting {
  readonly #probes: ProbeStore;
  readonly #scaling: ScalingStore;

  constructor({ probes, scaling }: { probes: ProbeStore; scaling: ScalingStore }) {
    this.#probes = probes;
    this.#scaling = scaling;
  }

  /** Adds the next probe to jobs that wait for the vendor, and launch failures to jobs that wait for a worker. */
  async annotate<J extends Waiting>(jobs: readonly J[]): Promise<Annotated<J>[]> {
    const [dated, scaling] = await Promise.all([
      this.#probes.dated(jobs),
      jobs.some(waitsForWorker) ? this.#scaling.readState() : undefined,
    ]);
    const failure = scaling && standingFailure(scaling);
    if (failure === undefined) return dated;
    const { reason, retry_at } = failure;
    const note = { waiting_note: `${NOT_STARTED}: ${reason}.`, due_at: retry_at };
    return dated.map((job) => (waitsForWorker(job) ? { ...job, ...note } : job));
  }
}

function waitsForWorker({ status, reason }: Waiting): boolean {
  return status === 'QUEUED' && (reason === 'waiting_for_worker' || reason === 'worker_lost');
}
