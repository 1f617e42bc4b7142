import { needsWorker, withoutLostLogin } from '../../accounts/account.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import type { AccountVendor } from '../../contract/vendors.ts';
import type { JobCounts } from '../../counters/counts.ts';
import { type JobsByStatus, readySince } from '../../jobs/dispatch/jobs-by-status.ts';
import { RUNNING_STATES, systemState } from '../../jobs/indexes/list-keys.ts';
import { isParked } from '../../jobs/lifecycle/gates.ts';
import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import type { Clock } from '../../platform/aws/table-clock.ts';
import type { Demand } from './scale-workers.ts';

export interface DemandContext {
  readonly counts: JobCounts;
  readonly byStatus: JobsByStatus;
  readonly accounts: AccountStore;
  readonly vendors: readonly AccountVendor[];
  readonly clock: Clock;
}

/** Waiting jobs that one query of the index reads. */
const JOBS_PER_QUERY = 200;

/** The available work. Counts of a kind stop at `enough`. */
export async function readDemand(context: DemandContext, enough: number): Promise<Demand> {
  const states = await context.counts.readStates();
  const count = (...names: readonly string[]) =>
    names.flatMap((state) => [state, systemState(state)]).reduce((total, state) => total + (states[state] ?? 0), 0);
  const queued = count('QUEUED');
  const running = count(...RUNNING_STATES);
  const [waiting, logins] = await Promise.all([countWaiting(context, queued, enough), countLogins(context)]);
  return { waiting, running: Math.max(0, running), logins };
}

/**
 * The counters include a new job before the index does, but also jobs that are not due. So the jobs that the index shows
 * to be parked by a later version, or not due, are subtracted from the count. Other parked jobs are in neither.
 */
async function countWaiting({ byStatus, clock }: DemandContext, queued: number, enough: number): Promise<number> {
  const now = clock.now();
  let ready = 0;
  let others = 0;
  for await (const job of byStatus('QUEUED', { page: JOBS_PER_QUERY })) {
    if (isParked(job) || (job.due_at !== undefined && readySince(job) > now)) others += 1;
    else ready += 1;
    if (ready >= enough) return ready;
  }
  return Math.max(ready, queued - others);
}

async function countLogins({ accounts, vendors, clock }: DemandContext): Promise<number> {
  const needs = async (vendor: AccountVendor) =>
    needsWorker(withoutLostLogin(await accounts.read(vendor), clock.now()));
  const all = await Promise.all(vendors.map((vendor) => skipDamaged(`account ${vendor}`, () => needs(vendor))));
  return all.filter((isNeeded) => isNeeded === true).length;
}
