import { createJobBody, createQueuePlaces } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { jobBody } from '../../lib/api/serve-action.ts';
import { createJobStore } from '../../lib/composition/job-stores.ts';
import { readJob as route } from '../../lib/contract/routes/jobs.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';
import { attemptsOf } from '../../lib/jobs/views/attempts.ts';
import { queuePlace, withHolder } from '../../lib/jobs/views/queue-place.ts';
import { awaitFollowUps } from '../../lib/reconciler/await-follow-ups.ts';

/** `GET /jobs/{id}` */
export const handler = handle(
  route,
  (core) => ({
    jobs: createJobStore(core),
    ...createJobBody(core),
    clock: core.clock,
    waitsFor: createQueuePlaces(core),
  }),
  async ({ params }, { core }, context) => {
    const job = await awaitFollowUps(context, await findJob(context.jobs, params.id));
    const queue = await queuePlace(context.waitsFor, job);
    const attempts = await attemptsOf(context, job);
    return { body: await jobBody(withHolder(job, queue), context, core.env.PROMPTQ_TIMEOUT_UNIT, { queue, attempts }) };
  },
);
