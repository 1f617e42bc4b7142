import type { Route, RouteInput } from '../contract/route.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { findJob } from '../jobs/store/find-job.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { Answer } from './answer.ts';
import type { Core } from './runtime/core.ts';
import { type Call, handleWithRead } from './serve.ts';

/**
 * As `handle`, for a route whose path has the `{id}` of a job: the job is read while the caller is authenticated. The last
 * parameter of `run` is the job, or rejects with the ApiError `job_not_found`.
 */
export function handleJob<R extends Route, S extends { readonly jobs: JobStore }>(
  route: R,
  open: (core: Core) => S,
  run: (input: RouteInput<R>, call: Call, services: S, found: Promise<Job>) => Promise<Answer<NoInfer<R>>>,
) {
  const read = async ({ params }: RouteInput<R>, { jobs }: S) => await findJob(jobs, (params as { id: string }).id);
  return handleWithRead(route, open, read, run);
}
