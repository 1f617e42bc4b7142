import { ApiError } from '../../contract/errors.ts';
import type { Job } from '../lifecycle/job.ts';
import type { JobEvent } from '../lifecycle/job-event.ts';
import { requireUnderstood } from '../lifecycle/understood.ts';
import { type TransitionContext, transition } from './transition.ts';

/**
 * Applies an action that a client requests.
 * @param action the client's word for it
 * @returns the updated job
 * @throws NewerSchemaError if only a later version may change the job; ApiError `invalid_state` with `details` of state
 * and action if the job's state doesn't allow it
 */
export async function actOnJob(context: TransitionContext, job: Job, event: JobEvent, action: string): Promise<Job> {
  const result = await transition(context, job, event);
  if (result.done) return result.job;
  if (result.job === undefined) throw new Error(`job ${job.id}: ${result.rejected}, while applying "${action}"`);
  requireUnderstood(result.job);
  throw invalidState(action, result.job, result.rejected);
}

/**
 * The error for an action that the job's state doesn't allow.
 * @param use the action to take instead
 */
export function invalidState(action: string, job: Pick<Job, 'status'>, why: string, use?: string): ApiError {
  const details = { state: job.status, action, ...(use !== undefined && { use }) };
  return ApiError.because('invalid_state', `${action}: ${why}`, details);
}
