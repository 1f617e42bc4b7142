import { ApiError } from '../../contract/errors.ts';
import type { Job } from '../lifecycle/job.ts';
import { isJobId } from '../lifecycle/job-id.ts';
import { isHidden } from '../lifecycle/system-job.ts';
import type { JobStore } from './job-store.ts';

/**
 * The job with a path's `{id}`, as of the last acknowledged write.
 * @throws ApiError `job_not_found`
 */
export async function findJob(jobs: JobStore, id: string): Promise<Job> {
  const job = isJobId(id) ? await jobs.get(id, { consistent: true }) : undefined;
  if (job === undefined || job.removing === true || isHidden(job)) throw ApiError.of('job_not_found');
  return job;
}
