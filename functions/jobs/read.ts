import { createJobBody, createQueuePlaces } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { wholeView } from '../../lib/api/serve-action.ts';
import { readJob as route } from '../../lib/contract/routes/jobs.ts';
import { attemptsOf } from '../../lib/jobs/views/attempts.ts';
import { queuePlace, withHolder } from '../../lib/jobs/views/queue-place.ts';
import { awaitFollowUps } from '../../lib/reconciler/await-follow-ups.ts';

/** `GET /jobs/{id}` */
export const handler = handleJob(
  route,
  (core) => ({
    ...createJobBody(core),
    clock: core.clock,
    waitsFor: createQueuePlaces(core),
  }),
  async (_input, { core }, context, found) => {
    const job = await awaitFollowUps(context, await found);
    const further = async () => {
      const [queue, attempts] = await Promise.all([queuePlace(context.waitsFor, job), attemptsOf(context, job)]);
      return { queue, attempts, waits_for: withHolder(job, queue).waits_for };
    };
    return { body: await wholeView(job, context, core.env.PROMPTQ_TIMEOUT_UNIT, further()) };
  },
);
