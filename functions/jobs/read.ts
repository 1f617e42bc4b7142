import { readJob as route } from '../../lib/contract/routes/jobs.ts';
import { serve } from '../../lib/http/serve.ts';
import { jobBody } from '../../lib/http/serve-action.ts';
import { openJobBody, openJobs, openQueuePlaces } from '../../lib/http/services.ts';
import { attemptsOf } from '../../lib/jobs/attempts.ts';
import { findJob } from '../../lib/jobs/find-job.ts';
import { queuePlace } from '../../lib/jobs/queue-place.ts';
import { settledChildren } from '../../lib/jobs/settled-children.ts';

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
