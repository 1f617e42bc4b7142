import type { Job } from '../lifecycle/job.ts';

/** Claims that are remembered after their success: more than one worker makes while an index lags. */
const REMEMBERED = 64;

/**
 * The versions of jobs that one process is claiming or has claimed. Its slots would otherwise compete for the best job:
 * all but one of their writes would fail.
 */
export class OwnClaims {
  readonly #inProgress = new Set<string>();
  readonly #made: string[] = [];

  /** How many claims are in progress. The ready index still lists their jobs. */
  get inProgress(): number {
    return this.#inProgress.size;
  }

  /** Whether a slot is at this version of a job, or has claimed it. */
  has(job: Job): boolean {
    const version = versionOf(job);
    return this.#inProgress.has(version) || this.#made.includes(version);
  }

  /**
   * Claims a job, unless another slot is at it or has claimed it.
   * @param claim resolves with undefined if the job could not be claimed
   */
  async attempt<T>(job: Job, claim: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.has(job)) return undefined;
    const version = versionOf(job);
    this.#inProgress.add(version);
    try {
      const claimed = await claim();
      if (claimed !== undefined && this.#made.push(version) > REMEMBERED) this.#made.shift();
      return claimed;
    } finally {
      this.#inProgress.delete(version);
    }
  }
}

function versionOf({ id, version }: Job): string {
  return `${id}@${version}`;
}
