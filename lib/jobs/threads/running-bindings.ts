import { isFinal, runsCommands } from '../deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../deployments/job-deployment-store.ts';
import { attemptsDue, effectOf } from '../lifecycle/effects.ts';
import type { Job } from '../lifecycle/job.ts';

type Deployments = { readonly deployments: Pick<JobDeploymentStore, 'list'> };

/** Whether commands of bindings work in the folder of a job; signed calls use no folder. */
export async function runsBindings({ deployments }: Deployments, job: Job): Promise<boolean> {
  if (effectOf(job, 'commands') === undefined) return false;
  return (await deployments.list(job.id)).some((one) => runsCommands(one) && one.state === 'running');
}

/** Whether commands of bindings work in the folder of a job, or are still to do so. */
export async function needsBindings({ deployments }: Deployments, job: Job): Promise<boolean> {
  const pending = attemptsDue(job, 'commands');
  if (pending.length === 0) return false;
  const all = (await deployments.list(job.id)).filter(runsCommands);
  const isNewest = (attempt: number) => job.status === 'SUCCEEDED' && attempt === job.attempt;
  // Pending deployments are recorded right after the success.
  if (pending.some(isNewest) && !all.some(({ attempt }) => isNewest(attempt))) return true;
  const isUnderWay = all.filter((one) => !isFinal(one));
  return isUnderWay.some(({ state, attempt }) => state === 'running' || isNewest(attempt));
}
