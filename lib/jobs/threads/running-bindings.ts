import { isFinal, runsCommands } from '../deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../deployments/job-deployment-store.ts';
import type { Job } from '../lifecycle/job.ts';

/** Whether commands of bindings may still work in the folder of a job; signed calls use no folder. */
export async function runsBindings(
  { deployments }: { readonly deployments: Pick<JobDeploymentStore, 'list'> },
  holder: Job,
): Promise<boolean> {
  const { bindings_pending: pending = [] } = holder;
  if (pending.length === 0) return false;
  const all = await deployments.list(holder.id);
  const isNewest = (attempt: number) => holder.status === 'SUCCEEDED' && attempt === holder.attempt;
  // Pending deployments are recorded right after the success.
  if (pending.some(isNewest) && !all.some(({ attempt }) => isNewest(attempt))) return true;
  const isUnderWay = all.filter((one) => runsCommands(one) && !isFinal(one));
  return isUnderWay.some(({ state, attempt }) => state === 'running' || isNewest(attempt));
}
