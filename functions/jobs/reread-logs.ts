import { Readable } from 'node:stream';
import { rereadLogs as route } from '../../lib/contract/routes/jobs.ts';
import { rereadJob as schema } from '../../lib/contract/schemas/job.ts';
import { serve } from '../../lib/http/serve.ts';
import { wholeView } from '../../lib/http/serve-action.ts';
import { openReread } from '../../lib/http/services.ts';
import { findJob } from '../../lib/jobs/find-job.ts';
import { rereadJob } from '../../lib/jobs/reread-job.ts';

/** `POST /jobs/{id}/reread-logs` */
export const handler = serve(route, openReread, async ({ params }, { core }, context) => {
  const { job, refreshed, recoveredFollowUpIds } = await rereadJob(context, await findJob(context.jobs, params.id));
  const view = await wholeView(job, context, core.env.PROMPTQ_TIMEOUT_UNIT);
  const body = schema.parse({ ...view, refreshed, recovered_follow_up_ids: recoveredFollowUpIds });
  return { body: Readable.from([Buffer.from(JSON.stringify(body))]) };
});
