import { ApiError } from '../contract/errors.ts';
import { isFinal, type JobDeployment } from '../jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import type { EndContext } from '../jobs/dispatch/end-attempt.ts';
import { transition } from '../jobs/dispatch/transition.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { whenCommandsAct } from '../jobs/threads/commands-turn.ts';
import type { ThreadContext } from '../jobs/threads/read-thread.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { acts } from './bindings/deploy-binding.ts';
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
  if (known !== undefined && !isFinal(known)) throw rejection(job, `the deploy binding is ${known.state} already`);
  if (binding.binding_mode !== 'generic' && (await whenCommandsAct(context, job)) === 'never')
    throw rejection(job, 'a later turn of its thread has worked in the folder since; deploy that turn');
  // Set the mark first: after a crash it is removed again. In the other order, nothing would check the deployment.
  const marked = await transition(context, job, { type: 'deploy', attempt: job.attempt });
  if (!marked.done) throw rejection(marked.job ?? job, marked.rejected);
  const receipt = await context.readReceipt(job.id, job.attempt);
  if (receipt === undefined) throw rejection(job, 'the receipt of its newest attempt no longer exists');
  const again = await context.deployments.replace(known, newDeployment(context, binding, { job, receipt }));
  if (again === undefined) throw rejection(job, 'its deployment was changed concurrently; try again');
  if (!isFinal(again)) await announce(context, marked.job, again, { toWorkers: true });
  return again;
}

/** Resets a call that was given up, to be tried again from the start. @returns it; undefined on a conflict */
export async function reviveCall(
  context: EndContext & { readonly deployments: JobDeploymentStore },
  known: JobDeployment,
): Promise<JobDeployment | undefined> {
  const job = await context.jobs.get(known.job_id, { consistent: true });
  if (job === undefined) return undefined;
  await transition(context, job, { type: 'deploy', attempt: known.attempt });
  const { finished_at: _end, error: _error, last_status: _status, ...rest } = known;
  const due_at = timestamp(context.clock.now());
  return await context.deployments.replace(known, { ...rest, state: 'pending', attempts: 0, due_at });
}

function rejection(job: Job, why: string): ApiError {
  return ApiError.because('invalid_state', why, { state: job.status, action: 'retry' });
}
