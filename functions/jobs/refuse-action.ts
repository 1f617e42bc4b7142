import { ApiError } from '../../lib/contract/errors.ts';
import { refuseAction as route } from '../../lib/contract/routes/jobs.ts';
import { serve } from '../../lib/http/serve.ts';
import { openJobs } from '../../lib/http/services.ts';
import { findJob } from '../../lib/jobs/find-job.ts';

/** `POST /jobs/{id}/…` of no known action */
export const handler = serve(route, openJobs, async ({ params }, _call, jobs) => {
  await findJob(jobs, params.id);
  throw ApiError.of('invalid_action');
});
