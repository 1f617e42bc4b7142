import { keptAlive } from '../../lib/api/kept-alive.ts';
import { createReread } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { wholeView } from '../../lib/api/serve-action.ts';
import { withoutOutput } from '../../lib/contract/output-fields.ts';
import { rereadLogs as route } from '../../lib/contract/routes/jobs.ts';
import { rereadJob as schema } from '../../lib/contract/schemas/jobs/job.ts';
import { requireKept } from '../../lib/jobs/output/reading/require-kept.ts';
import { rereadJob } from '../../lib/jobs/reread/reread-job.ts';

/** `POST /jobs/{id}/reread-logs` */
export const handler = handleJob(route, createReread, async (_input, { core, showsOutput }, context, found) => {
  const known = await found;
  requireKept(known, known.attempt);
  const reread = async () => {
    const { job, refreshed, recoveredFollowUpIds } = await rereadJob(context, known);
    const view = await wholeView(job, context, core.env.PROMPTQ_TIMEOUT_UNIT);
    const body = schema.parse({ ...view, refreshed, recovered_follow_up_ids: recoveredFollowUpIds });
    return JSON.stringify(showsOutput ? body : withoutOutput(schema, body));
  };
  return { body: keptAlive(reread()) };
});
