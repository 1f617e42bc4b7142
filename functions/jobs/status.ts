import { readJobStatus as route } from '../../lib/contract/routes/jobs.ts';
import { serve } from '../../lib/http/serve.ts';
import { openJobs } from '../../lib/http/services.ts';
import { findJob } from '../../lib/jobs/find-job.ts';
import { viewStatus } from '../../lib/jobs/job-view.ts';
import { waitForChange } from '../../lib/jobs/wait-for-change.ts';

/** `GET /jobs/{id}/status` */
export const handler = serve(route, openJobs, async ({ params, query }, _call, jobs) => {
  const job = await findJob(jobs, params.id);
  return { body: viewStatus(await waitForChange(jobs, job, query.wait ?? 0)) };
});
