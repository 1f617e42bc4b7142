import { createWhyWaiting } from '../../lib/api/runtime/services.ts';
import { handleWithRead } from '../../lib/api/serve.ts';
import { createJobStore } from '../../lib/composition/job-stores.ts';
import { readJobStatus as route } from '../../lib/contract/routes/jobs.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';
import { viewStatus } from '../../lib/jobs/views/job-view.ts';
import { waitForChange } from '../../lib/jobs/views/wait-for-change.ts';

/** `GET /jobs/{id}/status` */
export const handler = handleWithRead(
  route,
  (core) => ({ jobs: createJobStore(core), clock: core.clock, waiting: createWhyWaiting(core) }),
  // A wait begins with its own read, so that it misses no change after that.
  async ({ params, query }, { jobs }) => (query.wait ? undefined : await findJob(jobs, params.id)),
  async ({ params, query }, _call, { waiting, ...context }, found) => {
    const job = (await found) ?? (await waitForChange(context, params.id, query.wait ?? 0));
    const [annotated = job] = await waiting.annotate([job]);
    return { body: viewStatus(annotated) };
  },
);
