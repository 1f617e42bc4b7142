import { Readable } from 'node:stream';
import { createReread } from '../../lib/api/runtime/services.ts';
import { wholeView } from '../../lib/api/serve-action.ts';
import { handleJob } from '../../lib/api/serve-job.ts';
import { rereadLogs as route } from '../../lib/contract/routes/jobs.ts';
import { rereadJob as schema } from '../../lib/contract/schemas/jobs/job.ts';
import { rereadJob } from '../../lib/jobs/reread/reread-job.ts';

/** `POST /jobs/{id}/reread-logs` */
export const handler = handleJob(route, createReread, async (_input, { core }, context, found) => {
  const { job, refreshed, recoveredFollowUpIds } = await rereadJob(context, await found);
  const view = await wholeView(job, context, core.env.PROMPTQ_TIMEOUT_UNIT);
  const body = schema.parse({ ...view, refreshed, recovered_follow_up_ids: recoveredFollowUpIds });
  return { body: Readable.from([Buffer.from(JSON.stringify(body))]) };
});
