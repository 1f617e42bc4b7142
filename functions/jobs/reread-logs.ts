import { Readable } from 'node:stream';
import { createReread } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { wholeView } from '../../lib/api/serve-action.ts';
import { rereadLogs as route } from '../../lib/contract/routes/jobs.ts';
import { rereadJob as schema } from '../../lib/contract/schemas/jobs/job.ts';
import { rereadJob } from '../../lib/jobs/reread/reread-job.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `POST /jobs/{id}/reread-logs` */
export const handler = handle(route, createReread, async ({ params }, { core }, context) => {
  const { job, refreshed, recoveredFollowUpIds } = await rereadJob(context, await findJob(context.jobs, params.id));
  const view = await wholeView(job, context, core.env.PROMPTQ_TIMEOUT_UNIT);
  const body = schema.parse({ ...view, refreshed, recovered_follow_up_ids: recoveredFollowUpIds });
  return { body: Readable.from([Buffer.from(JSON.stringify(body))]) };
});
