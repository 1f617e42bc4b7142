import { handle } from '../../lib/api/serve.ts';
import { createJobStore } from '../../lib/composition/services.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { refuseAction as route } from '../../lib/contract/routes/jobs.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `POST /jobs/{id}/…` with an unknown action */
export const handler = handle(route, createJobStore, async ({ params }, _call, jobs) => {
  await findJob(jobs, params.id);
  throw ApiError.of('invalid_action');
});
