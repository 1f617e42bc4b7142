import { openJobs, openWaiting } from '../../lib/api/runtime/services.ts';
import { serve } from '../../lib/api/serve.ts';
import { readJobStatus as route } from '../../lib/contract/routes/jobs.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';
import { viewStatus } from '../../lib/jobs/views/job-view.ts';
import { waitForChange } from '../../lib/jobs/views/wait-for-change.ts';

/** `GET /jobs/{id}/status` */
export const handler = serve(
  route,
  (core) => ({ jobs: openJobs(core), waiting: openWaiting(core) }),
  async ({ params, query }, _call, { jobs, waiting }) => {
    const job = await waitForChange(jobs, await findJob(jobs, params.id), query.wait ?? 0);
    const [told = job] = await waiting.told([job]);
    return { body: viewStatus(told) };
  },
);
