import type { Job } from '../../lib/jobs/lifecycle/job.ts';

/** The running attempt's job as its heartbeat reads it, so that nothing else has to read it. */
export class JobWatch {
  readonly #listeners = new Set<(job: Job) => void>();

  /** The heartbeat has read the job. */
  hear(job: Job): void {
    for (const listener of this.#listeners) listener(job);
  }

  /** @returns the first job that is heard and meets the test; undefined: the signal came first */
  async until(test: (job: Job) => boolean, signal: AbortSignal): Promise<Job | undefined> {
    if (signal.aborted) return undefined;
    const found = Promise.withResolvers<Job | undefined>();
    const listener = (job: Job) => {
      if (test(job)) found.resolve(job);
    };
    const stop = () => found.resolve(undefined);
    this.#listeners.add(listener);
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await found.promise;
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener('abort', stop);
    }
  }
}
