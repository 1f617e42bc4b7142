import { isForVendor } from '../../../lib/jobs/lifecycle/gates.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Actor } from '../model/client.ts';

/** Profiles of the worlds' jobs; each uses a separate vendor account. */
export const PROFILES = ['codex', 'claude'] as const;

/** Checks that a job which waits for a vendor account is not queued because of another account. */
export class AccountRules {
  /** What is known to be over, as `reason profile`. */
  readonly #found = new Set<string>();
  /** What each job was ever parked for. */
  readonly #parked = new Map<string, Set<string>>();

  /** What is wrong with a write to a job; undefined: nothing. */
  faultOf(before: Job | undefined, after: Job, { doing }: Actor): string | undefined {
    const reasons = this.#parked.get(after.id) ?? new Set();
    if (before?.status === 'RUNNING' && after.status !== 'RUNNING' && after.status !== 'CANCELLED')
      for (const reason of reasons) if (after.parked !== reason) this.#found.add(`${reason} ${before.profile}`);
    if (isForVendor(after.parked)) this.#parked.set(after.id, reasons.add(after.parked));
    const { parked } = before ?? {};
    if (!isForVendor(parked) || after.status !== 'QUEUED' || after.parked !== undefined) return undefined;
    // Linking covers all of them here; a process that finds a released job finishes what a crash left undone.
    if (doing === 'link') this.#found.add(`${parked} ${after.profile}`);
    if (after.probing !== undefined) return undefined;
    return this.#found.has(`${parked} ${after.profile}`)
      ? undefined
      : `it must keep waiting (${parked}): no probe ran for profile ${after.profile}`;
  }
}
