import { needsWorker, withoutLostLogin } from '../../accounts/account.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import { acts } from '../../bindings/deploy-binding.ts';
import type { DeployBindingStore } from '../../bindings/deploy-binding-store.ts';
import type { AccountVendor } from '../../contract/vendors.ts';
import type { JobCounts } from '../../counters/counts.ts';
import { isFinal, runsCommands } from '../../jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../../jobs/deployments/job-deployment-store.ts';
import { type JobsByStatus, readySince } from '../../jobs/dispatch/jobs-by-status.ts';
import { RUNNING_STATES } from '../../jobs/indexes/list-keys.ts';
import { EFFECTS_KEY } from '../../jobs/indexes/ready-keys.ts';
import { effectOf } from '../../jobs/lifecycle/effects.ts';
import { isParked } from '../../jobs/lifecycle/gates.ts';
import type { ReadPartition } from '../../jobs/store/ready-partition.ts';
import { skipDamaged } from '../../platform/aws/skip-damaged.ts';
import type { Clock } from '../../platform/aws/table-clock.ts';
import type { Demand } from './decide-launch.ts';

export interface DemandContext {
  readonly counts: JobCounts;
  readonly byStatus: JobsByStatus;
  readonly partition: ReadPartition;
  readonly bindings: DeployBindingStore;
  readonly deployments: JobDeploymentStore;
  readonly accounts: AccountStore;
  readonly vendors: readonly AccountVendor[];
  /** Whether bindings may run commands. */
  readonly commands: boolean;
  readonly clock: Clock;
}

/** Waiting jobs that one query of the index reads. */
const JOBS_PER_QUERY = 200;

/** The available work. Counts of a kind stop at `enough`. */
export async function readDemand(context: DemandContext, enough: number): Promise<Demand> {
  const states = await context.counts.readStates();
  const queued = states.QUEUED ?? 0;
  const running = RUNNING_STATES.reduce((total: number, state) => total + (states[state] ?? 0), 0);
  const [waiting, logins, bindings] = await Promise.all([
    countWaiting(context, queued, enough),
    countLogins(context),
    countBindings(context, enough),
  ]);
  return { waiting, running: Math.max(0, running), logins, bindings };
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

/** A function makes signed calls, so a job that waits only for them is no work for a worker. */
async function countBindings(context: DemandContext, enough: number): Promise<number> {
  if (!context.commands) return 0;
  const projects = new Map<string, boolean>();
  let count = 0;
  for await (const job of context.partition(EFFECTS_KEY)) {
    const { id, project_id } = job;
    if (effectOf(job, 'commands') === undefined) continue;
    const isOpen = await skipDamaged(`job ${id}`, async () => {
      if (!projects.has(project_id)) projects.set(project_id, await hasCommands(context, project_id));
      if (projects.get(project_id) !== true) return false;
      return (await context.deployments.list(id)).some((one) => runsCommands(one) && !isFinal(one));
    });
    if (isOpen === true) count += 1;
    if (count >= enough) break;
  }
  return count;
}

async function hasCommands({ bindings }: DemandContext, projectId: string): Promise<boolean> {
  const all = await bindings.list(projectId);
  return all.some((binding) => acts(binding) && binding.binding_mode !== 'generic');
}
