import { createWhyWaiting } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { createJobStore } from '../../lib/composition/job-stores.ts';
import { readJobStatus as route } from '../../lib/contract/routes/jobs.ts';
import { viewStatus } from '../../lib/jobs/views/job-view.ts';
import { waitForChange } from '../../lib/jobs/views/wait-for-change.ts';

/** `GET /jobs/{id}/status` */
export const handler = handle(
  route,
  (core) => ({ jobs: createJobStore(core), clock: core.clock, waiting: createWhyWaiting(core) }),
  async ({ params, query }, _call, { waiting, ...context }) => {
    const job = await waitForChange(context, params.id, query.wait ?? 0);
    const [annotated = job] = await waiting.annotate([job]);
    return { body: viewStatus(annotated) };
  },
);
