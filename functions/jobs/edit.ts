import { createEdits } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { wholeView } from '../../lib/api/serve-action.ts';
import { editJob as route } from '../../lib/contract/routes/jobs.ts';
import { oneName } from '../../lib/contract/schemas/jobs/one-name.ts';
import { editJob } from '../../lib/jobs/creation/edit-job.ts';

/** `PATCH /jobs/{id}` */
export const handler = handleJob(route, createEdits, async ({ body }, { core }, context, found) => {
  const job = await editJob(context, await found, oneName(body), 'edit');
  return { body: await wholeView(job, context, core.env.PROMPTQ_TIMEOUT_UNIT) };
});
