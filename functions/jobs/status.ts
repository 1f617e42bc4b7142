import { createWhyWaiting } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { createJobStore } from '../../lib/composition/services.ts';
import { readJobStatus as route } from '../../lib/contract/routes/jobs.ts';
import { viewStatus } from '../../lib/jobs/views/job-view.ts';
import { waitForChange } from '../../lib/jobs/views/wait-for-change.ts';

/** `GET /jobs/{id}/status` */
export const handler = handleJob(
  route,
  (core) => ({ jobs: createJobStore(core), clock: core.clock, waiting: createWhyWaiting(core) }),
  async ({ params, query }, _call, { waiting, ...context }, found) => {
    // A wait begins with its own read, so that it misses no change after that.
    const job = query.wait ? await waitForChange(context, params.id, query.wait) : await found;
    const [annotated = job] = await waiting.annotate([job]);
    return { body: viewStatus(annotated) };
  },
);
