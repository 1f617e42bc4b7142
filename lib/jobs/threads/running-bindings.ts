import { isFinal, type JobDeployment, runsCommands } from '../deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../deployments/job-deployment-store.ts';
import { attemptsDue, effectOf } from '../lifecycle/effects.ts';
import type { Job } from '../lifecycle/job.ts';
import type { JobStore } from '../store/job-store.ts';

interface Context {
  readonly deployments: Pick<JobDeploymentStore, 'list'>;
  readonly jobs: Pick<JobStore, 'findAll'>;
}

/** A deployment that is not done, and the system job that runs its commands. */
interface OpenCommands {
  readonly deployment: JobDeployment;
  /** undefined: it is about to be created */
  readonly job: Job | 'newer' | undefined;
}

/** The commands of bindings that are to act on a job, or that run, in the order in which they do. */
export async function openCommands(context: Context, job: Job): Promise<OpenCommands[]> {
  if (effectOf(job, 'commands') === undefined) return [];
  const open = (await context.deployments.list(job.id)).filter((one) => runsCommands(one) && !isFinal(one));
  const found = await context.jobs.findAll(open.flatMap(({ runs_as }) => runs_as ?? []));
  return open.map((deployment) => ({ deployment, job: found.get(deployment.runs_as ?? '') }));
}

/** Whether commands of bindings work in the folder of a job; signed calls use no folder. */
export async function runsBindings(context: Context, job: Job): Promise<boolean> {
  return (await openCommands(context, job)).some(run);
}

/** Whether commands of bindings work in the folder of a job, or are still to do so. */
export async function needsBindings(context: Context, job: Job): Promise<boolean> {
  const isNewest = (attempt: number) => job.status === 'SUCCEEDED' && attempt === job.attempt;
  const open = await openCommands(context, job);
  const isToRun = ({ deployment, job: commands }: OpenCommands) =>
    isNewest(deployment.attempt) && (typeof commands !== 'object' || commands.status === 'QUEUED');
  if (open.some((one) => run(one) || isToRun(one))) return true;
  if (!attemptsDue(job, 'commands').some(isNewest)) return false;
  // Deployments are recorded right after the success.
  return !(await context.deployments.list(job.id)).some((one) => runsCommands(one) && isNewest(one.attempt));
}

function run({ job }: OpenCommands): boolean {
  return job === 'newer' || job?.status === 'RUNNING';
}
