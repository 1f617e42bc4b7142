import { createJobStore, createWhyWaiting } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { readJobStatus as route } from '../../lib/contract/routes/jobs.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';
import { viewStatus } from '../../lib/jobs/views/job-view.ts';
import { waitForChange } from '../../lib/jobs/views/wait-for-change.ts';

/** `GET /jobs/{id}/status` */
export const handler = handle(
  route,
  (core) => ({ jobs: createJobStore(core), waiting: createWhyWaiting(core) }),
  async ({ params, query }, _call, { jobs, waiting }) => {
    const job = await waitForChange(jobs, await findJob(jobs, params.id), query.wait ?? 0);
    const [annotated = job] = await waiting.annotate([job]);
    return { body: viewStatus(annotated) };
  },
);
