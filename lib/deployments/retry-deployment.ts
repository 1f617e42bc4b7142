import { acts } from '../bindings/deploy-binding.ts';
import { ApiError } from '../contract/errors.ts';
import { deployEffect, isFinal, type JobDeployment, runsCommands } from '../jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import type { EndContext } from '../jobs/dispatch/end-attempt.ts';
import { MAX_ROUNDS, transition } from '../jobs/dispatch/transition.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { decide } from '../jobs/lifecycle/lifecycle.ts';
import { whenCommandsAct } from '../jobs/threads/commands-turn.ts';
import type { ThreadContext } from '../jobs/threads/read-thread.ts';
import { runsBindings } from '../jobs/threads/running-bindings.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { announce, type DeployContext, newDeployment } from './start-deployments.ts';

/**
 * Retries a binding's deployment of a succeeded job's newest attempt, or deploys it for the first time.
 * @throws ApiError `not_found` if there is no such binding; `invalid_state` if the job has not succeeded, the binding
 *   is inactive, or its deployment is still in progress.
 */
export async function retryDeployment(
  context: DeployContext & Pick<ThreadContext, 'threads'>,
  job: Job,
  bindingId: string,
): Promise<JobDeployment> {
  const binding = await context.bindings.get(bindingId);
  if (binding === undefined || binding.project_id !== job.project_id) throw ApiError.of('not_found');
  if (!acts(binding))
    throw rejection(job, `the deploy binding ${bindingId} is inactive: check its fields ready and missing`);
  const key = { job_id: job.id, attempt: job.attempt, binding: bindingId };
  const known = await context.deployments.get(key);
  if (known !== undefined && !isFinal(known)) {
    const isRunning = runsCommands(known) && (await runsBindings(context, job));
    throw rejection(job, `the deploy binding is ${isRunning ? 'running' : known.state} already`);
  }
  if (binding.binding_mode !== 'generic' && (await whenCommandsAct(context, job)) === 'never')
    throw rejection(job, 'a later turn of its thread has worked in the folder since; deploy that turn');
  const receipt = await context.readReceipt(job.id, job.attempt);
  if (receipt === undefined) throw rejection(job, 'the receipt of its newest attempt no longer exists');
  const again = await replaceAndMark(context, job, known, newDeployment(context, binding, { job, receipt, known }));
  if (!isFinal(again)) await announce(context, job, again);
  return again;
}

/**
 * Writes a deployment, and in the same transaction the mark that the job has it pending: a process that has found all of
 * the job's deployments final may be about to remove the mark.
 * @throws ApiError `invalid_state` if the job can't be deployed, or if the deployment has changed
 */
async function replaceAndMark(
  context: EndContext & { readonly deployments: JobDeploymentStore },
  found: Job,
  known: JobDeployment | undefined,
  next: Omit<JobDeployment, 'version' | 'change_id'>,
): Promise<JobDeployment> {
  let job = found;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const event = { type: 'deploy', attempt: next.attempt, by: deployEffect(next.mode) } as const;
    const decision = decide(job, event, { ...context, now: context.clock.now() });
    if ('rejected' in decision) throw rejection(job, decision.rejected);
    const { written, put } = context.deployments.replacement(known, next);
    const result = await context.jobs.applyWith(job, decision.job, put);
    if (result.applied) return written;
    if (result.current === undefined) throw ApiError.of('job_not_found');
    if (result.current.version === job.version) break;
    job = result.current;
  }
  throw rejection(job, 'its deployment was changed concurrently; try again');
}

/** Resets a call that was given up, to be tried again from the start. @returns it; undefined on a conflict */
export async function reviveCall(
  context: EndContext & { readonly deployments: JobDeploymentStore },
  known: JobDeployment,
): Promise<JobDeployment | undefined> {
  const job = await context.jobs.get(known.job_id, { consistent: true });
  if (job === undefined) return undefined;
  await transition(context, job, { type: 'deploy', attempt: known.attempt, by: 'calls' });
  const { finished_at: _end, error: _error, last_status: _status, ...rest } = known;
  const due_at = timestamp(context.clock.now());
  return await context.deployments.replace(known, { ...rest, state: 'pending', attempts: 0, due_at });
}

function rejection(job: Job, why: string): ApiError {
  return ApiError.because('invalid_state', why, { state: job.status, action: 'retry' });
}
