import { createEdits } from '../../lib/api/runtime/services.ts';
import { jobBody, wholeView } from '../../lib/api/serve-action.ts';
import { handleJob } from '../../lib/api/serve-job.ts';
import { replaceJob as route } from '../../lib/contract/routes/jobs.ts';
import { editJob } from '../../lib/jobs/creation/edit-job.ts';
import { editableOf } from '../../lib/jobs/creation/read-only-fields.ts';

/** `PUT /jobs/{id}`: a job as read, with changes */
export const handler = handleJob(route, createEdits, async ({ body }, { core }, context, found) => {
  const unit = core.env.PROMPTQ_TIMEOUT_UNIT;
  const present = await found;
  const fields = editableOf(body, await wholeView(present, context, unit));
  const job = await editJob(context, present, fields, 'edit');
  return { body: await jobBody(job, context, unit) };
});
