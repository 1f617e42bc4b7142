import { type IndexedJob, type JobsByStatus, readySince } from '../jobs/dispatch/jobs-by-status.ts';
import { isParked } from '../jobs/lifecycle/gates.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import type { MetricValues } from '../platform/operations/metrics.ts';

/** Records the waiting jobs as they are read for other purposes, so that their metrics need no extra read. */
export class WaitingJobs {
  readonly #clock: Clock;
  /** Since when the oldest ready job waits, in milliseconds since 1970. */
  #oldest = Number.POSITIVE_INFINITY;
  #accountRequired = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * `byStatus` that records the jobs it returns if it reads held ones too; reading them from the oldest on begins a new
   * record.
   */
  noting(byStatus: JobsByStatus): JobsByStatus {
    const note = this.#note.bind(this);
    const forget = this.#forget.bind(this);
    return async function* noted(status, options) {
      const isNoted = status === 'QUEUED' && options?.held === true;
      if (isNoted && options.from === undefined) forget();
      for await (const job of byStatus(status, options)) {
        if (isNoted) note(job);
        yield job;
      }
    };
  }

  /** The waiting jobs of the last reading. */
  metrics(): MetricValues {
    const age = Math.round((this.#clock.now() - this.#oldest) / 1000);
    return {
      AccountRequiredJobs: this.#accountRequired,
      ...(age > 0 && { OldestReadyJob: age }),
    };
  }

  #forget(): void {
    this.#oldest = Number.POSITIVE_INFINITY;
    this.#accountRequired = 0;
  }

  #note(job: IndexedJob): void {
    if (job.reason === 'account_required') this.#accountRequired += 1;
    if (!isParked(job)) this.#oldest = Math.min(this.#oldest, readySince(job));
  }
}
