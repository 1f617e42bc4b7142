import type * as z from 'zod';
import { isParked } from '../../jobs/lifecycle/gates.ts';
import { jobItemSchema } from '../../jobs/lifecycle/job.ts';

/** The members of a job that determine whether there is work for workers. */
export const workSchema = jobItemSchema.pick({ status: true, reason: true });
type Work = z.output<typeof workSchema>;

/** Whether a change of a job may add work: the job waits for a worker. */
export function isNewWork(before: Work | undefined, after: Work | undefined): boolean {
  return after !== undefined && isWaiting(after) && (before === undefined || !isWaiting(before));
}

function isWaiting(job: Work): boolean {
  return job.status === 'QUEUED' && !isParked(job);
}
