import { acts, type DeployBinding } from '../bindings/deploy-binding.ts';
import { createSystemJob } from '../jobs/creation/create-system-job.ts';
import type { JobDeployment, JobDeploymentKey } from '../jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import type { TransitionContext } from '../jobs/dispatch/transition.ts';
import { jobIdOf } from '../jobs/lifecycle/cause.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import type { System } from '../jobs/lifecycle/system-job.ts';

/*
 * How the commands of a deploy binding run. The effect `commands` of a success writes a deployment for each binding, and
 * creates a system job for it (`startCommands`). Its claim waits until the thread is idle and nothing else works in the
 * folder, or cancels it, once a later turn has begun (`jobs/admission/claim-system-job.ts`). A worker runs the commands
 * (`worker-container/attempt/deploy-commands.ts`). The effect `deployed` of its end writes the result into the
 * deployment (`record-commands.ts`), and lets others into thread and folder. Until then a deployment is pending in the table,
 * and views show the state of its system job.
 */

/** Why no commands are run where the deployment disables them. */
export const NO_COMMANDS = "This deployment's bindings run no commands.";

/** Why a binding no longer runs the commands of a deployment; undefined: it does. */
export function whyNotRun(
  { commands }: { readonly commands: boolean },
  known: Pick<JobDeployment, 'mode'>,
  binding: DeployBinding | undefined,
): string | undefined {
  if (binding === undefined) return 'The binding was deleted.';
  if (!commands) return NO_COMMANDS;
  return acts(binding) && binding.binding_mode === known.mode ? undefined : 'The binding was changed.';
}

/** The members of a deployment that has its commands run, once more if they have been before. */
export function nextRun(key: JobDeploymentKey, runs = 0): Pick<JobDeployment, 'runs' | 'runs_as'> {
  return { runs: runs + 1, runs_as: runId(key, runs + 1) };
}

/** The ids of all system jobs of a deployment. */
export function systemJobsOf({ runs = 0, ...key }: JobDeployment): string[] {
  return Array.from({ length: runs }, (_, before) => runId(key, before + 1));
}

function runId(key: JobDeploymentKey, run: number): string {
  return jobIdOf(causeOf(key, run));
}

function causeOf({ job_id, attempt, binding }: JobDeploymentKey, run: number): System {
  return { kind: 'system', name: 'deploy', job: job_id, attempt, key: `${run} ${binding}` };
}

/** Creates the system job that runs the commands of a deployment, unless it is there. */
export async function startCommands(
  context: Pick<TransitionContext, 'jobs' | 'dispatchQueues' | 'clock'>,
  job: Job,
  { runs, ...key }: JobDeployment,
): Promise<void> {
  if (runs !== undefined) await createSystemJob(context, job, causeOf(key, runs));
}

/** The deployment whose commands a system job runs; undefined: it has been removed, or is run by a later one. */
export async function deploymentOf(
  { deployments }: { readonly deployments: Pick<JobDeploymentStore, 'list'> },
  { id, cause }: Job,
): Promise<JobDeployment | undefined> {
  const all = cause.kind === 'system' ? await deployments.list(cause.job) : [];
  return all.find(({ runs_as }) => runs_as === id);
}
