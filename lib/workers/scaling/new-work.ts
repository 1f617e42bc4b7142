import type * as z from 'zod';
import { effectOf } from '../../jobs/lifecycle/effects.ts';
import { isParked } from '../../jobs/lifecycle/gates.ts';
import { jobItemSchema } from '../../jobs/lifecycle/job.ts';

/** The members of a job that determine whether there is work for workers. */
export const workSchema = jobItemSchema.pick({ status: true, reason: true, effects: true });
type Work = z.output<typeof workSchema>;

/** Whether a change of a job may add work: the job waits for a worker, or has commands to run. */
export function isNewWork(before: Work | undefined, after: Work | undefined): boolean {
  if (after === undefined) return false;
  if (isWaiting(after)) return before === undefined || !isWaiting(before);
  // The worker that ran the job runs the commands too.
  const hadWorker = before?.status === 'RUNNING';
  return isToDeploy(after) && !isToDeploy(before) && !hadWorker;
}

function isToDeploy(job: Work | undefined): boolean {
  return job !== undefined && effectOf(job, 'commands') !== undefined;
}

function isWaiting(job: Work): boolean {
  return job.status === 'QUEUED' && !isParked(job);
}
