import { PARK_REASONS } from '../../../lib/jobs/lifecycle/gates.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Actor } from '../model/client.ts';
import type { Item } from '../model/expressions.ts';

/** How wrong (ms) a clock may be that has been set by the table's answers. */
const CLOCK_ERROR = 1_100;

/** One job that was released as the probe for all that are parked for its reason. */
interface Try {
  readonly job: string;
  readonly attempt: number;
  /** A release until this time (ms since 1970) prevents any other probe. */
  readonly until: number;
}

/**
 * One parked job at a time probes for all that are parked for its reason. Two may only if the first was released so long
 * after its record was written that another was due, or if the account was linked meanwhile, which deletes the
 * record while its job continues.
 */
export class ProbeRules {
  /** Every record so far, by reason. */
  readonly #records = new Map<string, Try[]>(PARK_REASONS.map((reason) => [reason, []]));
  /** Jobs that may probe beside another: by reason. */
  readonly #excused = new Map<string, Set<string>>(PARK_REASONS.map((reason) => [reason, new Set()]));

  /** A write to the table of the records. */
  noteRecord(after: Item | undefined, before: Item | undefined, actor: Actor): void {
    const { kind, id, job_id: job, attempt, next_at } = (after ?? before ?? {}) as Record<string, unknown>;
    const reason = PARK_REASONS.find((each) => each === id);
    if (kind !== 'probe' || reason === undefined) return;
    if (after !== undefined)
      this.#records
        .get(reason)
        ?.push({ job: String(job), attempt: Number(attempt), until: Date.parse(String(next_at)) });
    else if (actor.doing === 'link') this.#excused.get(reason)?.add(String(job));
  }

  /**
   * @param jobs all jobs as they then are.
   * @returns what is wrong with a write to a job.
   */
  faultOf(
    { before, after }: { before: Job | undefined; after: Job },
    { jobs, wall }: { readonly jobs: () => readonly Job[]; readonly wall: number },
  ): string | undefined {
    const ended = before?.probing;
    if (ended !== undefined && after.probing !== ended) this.#excused.get(ended)?.delete(after.id);
    const reason = after.probing;
    if (reason === undefined || before?.probing === reason) return undefined;
    const record = this.#records
      .get(reason)
      ?.findLast(({ job, attempt }) => job === after.id && attempt === after.attempt + 1);
    if (record === undefined) return `it tries for ${reason} and no record says so`;
    const excused = this.#excused.get(reason);
    if (wall > record.until - CLOCK_ERROR) excused?.add(after.id);
    else if (jobs().some(({ id, probing }) => id !== after.id && probing === reason && excused?.has(id) !== true))
      return `it tries for ${reason} while another does`;
    return undefined;
  }
}
