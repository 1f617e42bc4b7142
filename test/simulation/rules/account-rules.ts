import { isBusy, type Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Actor } from '../model/client.ts';

/** Profiles of the worlds' jobs; each works by a vendor account of its own. */
export const PROFILES = ['codex', 'claude'] as const;

/** Sees to it that a job which waits for a vendor account is queued for no other account's sake. */
export class AccountRules {
  /** What was found over, as `reason profile`. */
  readonly #found = new Set<string>();
  /** What each job was ever parked for. */
  readonly #parked = new Map<string, Set<string>>();

  /** What is wrong with a write to a job; undefined: nothing. */
  faultOf(before: Job | undefined, after: Job, { doing }: Actor): string | undefined {
    const reasons = this.#parked.get(after.id) ?? new Set();
    if (before?.status === 'RUNNING' && after.status !== 'RUNNING' && after.status !== 'CANCELLED')
      for (const reason of reasons) if (after.parked !== reason) this.#found.add(`${reason} ${before.profile}`);
    if (after.parked !== undefined && !isBusy(after.parked)) this.#parked.set(after.id, reasons.add(after.parked));
    const { parked } = before ?? {};
    if (parked === undefined || isBusy(parked) || after.status !== 'QUEUED' || after.parked !== undefined)
      return undefined;
    // Linking is for all of them here; whoever finds a job that it has let go finishes what a death left of it.
    if (doing === 'link') this.#found.add(`${parked} ${after.profile}`);
    if (after.probing !== undefined) return undefined;
    return this.#found.has(`${parked} ${after.profile}`)
      ? undefined
      : `it was to wait on (${parked}): nobody has tried for profile ${after.profile}`;
  }
}
