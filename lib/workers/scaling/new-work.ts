import type * as z from 'zod';
import { jobItemSchema } from '../../jobs/lifecycle/job.ts';
import { isParked } from '../../jobs/lifecycle/parking.ts';

/** The members of a job that determine whether there is work for workers. */
export const workSchema = jobItemSchema.pick({ status: true, reason: true, bindings_pending: true });
type Work = z.output<typeof workSchema>;

/** Whether a change of a job may add work: the job waits for a worker, or has commands to run. */
export function isNewWork(before: Work | undefined, after: Work | undefined): boolean {
  if (after === undefined) return false;
  if (isWaiting(after)) return before === undefined || !isWaiting(before);
  // The worker that ran the job runs the commands too.
  const hadWorker = before?.status === 'RUNNING';
  return after.bindings_pending !== undefined && before?.bindings_pending === undefined && !hadWorker;
}

function isWaiting(job: Work): boolean {
  return job.status === 'QUEUED' && !isParked(job);
}
