import { openJobBody, openJobs, openQueuePlaces } from '../../lib/api/runtime/services.ts';
import { serve } from '../../lib/api/serve.ts';
import { jobBody } from '../../lib/api/serve-action.ts';
import { readJob as route } from '../../lib/contract/routes/jobs.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';
import { attemptsOf } from '../../lib/jobs/views/attempts.ts';
import { queuePlace } from '../../lib/jobs/views/queue-place.ts';
import { settledChildren } from '../../lib/reconciler/await-follow-ups.ts';

/** `GET /jobs/{id}` */
export const handler = serve(
  route,
  (core) => ({ jobs: openJobs(core), ...openJobBody(core), clock: core.clock, waitsFor: openQueuePlaces(core) }),
  async ({ params }, { core }, context) => {
    const job = await settledChildren(context, await findJob(context.jobs, params.id));
    const queue = await queuePlace(context.waitsFor, job);
    const attempts = await attemptsOf(context, job);
    return { body: await jobBody(job, context, core.env.PROMPTQ_TIMEOUT_UNIT, { queue, attempts }) };
  },
);
