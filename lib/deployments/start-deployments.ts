import { acts, type DeployBinding } from '../bindings/deploy-binding.ts';
import { deployEffect, isFinal, type JobDeployment, runsCommands } from '../jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import type { EndContext } from '../jobs/dispatch/end-attempt.ts';
import { transition } from '../jobs/dispatch/transition.ts';
import type { DeployEffect } from '../jobs/lifecycle/effect.ts';
import { attemptsDue } from '../jobs/lifecycle/effects.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import type { Receipt } from '../jobs/receipts/receipt.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { callPayload } from './calls/call-payload.ts';
import type { DeliveryQueue } from './calls/delivery-queue.ts';
import { NO_COMMANDS, nextRun, startCommands } from './deploy-commands.ts';

/** What is needed to have bindings act on a job. */
export interface DeployContext extends EndContext {
  readonly deployments: JobDeploymentStore;
  readonly deliveries: DeliveryQueue;
  readonly readReceipt: (jobId: string, attempt: number) => Promise<Receipt | undefined>;
  /** Whether bindings may run commands. */
  readonly commands: boolean;
  /** The address of the API for clients, if the deployment sets it. */
  readonly publicUrl?: string | undefined;
}

/**
 * Creates the calls, or the commands, of each attempt on which bindings have to act, and has them made. Safe to run
 * concurrently and repeatedly.
 * @returns the updated job.
 */
export async function startDeployments(context: DeployContext, job: Job, by: DeployEffect): Promise<Job> {
  let latest = job;
  for (const attempt of attemptsDue(job, by)) {
    const receipt = await context.readReceipt(job.id, attempt);
    const started: JobDeployment[] = [];
    for (const binding of await context.bindings.list(job.project_id)) {
      // A binding created later did not see this success.
      if (!acts(binding) || deployEffect(binding.binding_mode) !== by) continue;
      if (receipt === undefined || binding.created_at > receipt.finished_at) continue;
      const made = await context.deployments.replace(undefined, newDeployment(context, binding, { job, receipt }));
      if (made !== undefined) started.push(made);
    }
    // Create all of them before the first can finish: otherwise it would be taken for the last.
    for (const made of started) if (!isFinal(made)) await announce(context, latest, made);
    latest = await unmarkIfDone(context, latest, attempt, by);
  }
  return latest;
}

/** A binding's deployment of an attempt that succeeded. */
export function newDeployment(
  context: Pick<DeployContext, 'clock' | 'commands' | 'publicUrl'>,
  binding: DeployBinding,
  { job, receipt, known }: { job: Job; receipt: Receipt; known?: JobDeployment | undefined },
): Omit<JobDeployment, 'version' | 'change_id'> {
  const { binding_mode: mode } = binding;
  if (mode === 'hosted_editor') throw new Error('a hosted editor has no deployments');
  const at = timestamp(context.clock.now());
  const isOff = mode !== 'generic' && !context.commands;
  const key = { job_id: job.id, attempt: receipt.attempt, binding: binding.id };
  return {
    ...key,
    name: binding.name,
    mode,
    state: isOff ? 'skipped' : 'pending',
    attempts: 0,
    created_at: at,
    due_at: at,
    ...(isOff && { finished_at: at, error: NO_COMMANDS }),
    ...(mode !== 'generic' && nextRun(key, known?.runs)),
    ...(mode === 'generic' && { payload: callPayload(job, receipt, context.publicUrl) }),
  };
}

/** Sends the message for a call, or creates the system job for commands. Lost or duplicate messages do no harm. */
export async function announce(
  context: Pick<DeployContext, 'deliveries' | 'jobs' | 'dispatchQueues' | 'clock'>,
  job: Job,
  deployment: JobDeployment,
): Promise<void> {
  const { job_id, attempt, binding } = deployment;
  if (runsCommands(deployment)) await startCommands(context, job, deployment);
  else await context.deliveries.send({ job: job_id, attempt, binding });
}

/**
 * Ends the effect by which a deployment was made if all of its kind and attempt are done, one for each binding. A process
 * that ended early may have left some out; while the effect is listed, reconcile-jobs creates them.
 * @returns the job as it then is
 */
export async function finishDeployments(
  context: Pick<DeployContext, 'bindings' | 'deployments' | 'jobs' | 'dispatchQueues' | 'clock' | 'random'>,
  job: Job,
  { attempt, mode }: Pick<JobDeployment, 'attempt' | 'mode'>,
): Promise<Job> {
  const by = deployEffect(mode);
  const all = await deploymentsBy(context, job, by);
  const bindings = (await context.bindings.list(job.project_id)).filter(
    (binding) => acts(binding) && deployEffect(binding.binding_mode) === by,
  );
  const isMade = (id: string) => all.some((one) => one.attempt === attempt && one.binding === id);
  return bindings.every(({ id }) => isMade(id)) ? await unmarkIfDone(context, job, attempt, by) : job;
}

/** The deployments of a job that an effect makes. */
export async function deploymentsBy(
  { deployments }: Pick<DeployContext, 'deployments'>,
  { id }: Pick<Job, 'id'>,
  by: DeployEffect,
): Promise<JobDeployment[]> {
  return (await deployments.list(id)).filter(({ mode }) => deployEffect(mode) === by);
}

/**
 * Ends an effect if all deployments of an attempt that it makes are done, after the missing ones have been created. One
 * that was retried since the job was read has made it due again.
 */
export async function unmarkIfDone(
  context: Pick<DeployContext, 'deployments' | 'jobs' | 'dispatchQueues' | 'clock' | 'random'>,
  job: Job,
  attempt: number,
  by: DeployEffect,
): Promise<Job> {
  const effect = job.effects?.find((one) => one.name === by && one.attempt === attempt);
  if (effect === undefined) return job;
  const all = await deploymentsBy(context, job, by);
  if (!all.filter((one) => one.attempt === attempt).every(isFinal)) return job;
  const result = await transition(context, job, { type: 'effect', effect, step: 'done' });
  return result.job ?? job;
}
