import { createEdits } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { jobBody, wholeView } from '../../lib/api/serve-action.ts';
import { replaceJob as route } from '../../lib/contract/routes/jobs.ts';
import { editJob } from '../../lib/jobs/creation/edit-job.ts';
import { editableOf } from '../../lib/jobs/creation/read-only-fields.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `PUT /jobs/{id}`: a job as read, with changes */
export const handler = handle(route, createEdits, async ({ params, body }, { core }, context) => {
  const unit = core.env.PROMPTQ_TIMEOUT_UNIT;
  const present = await findJob(context.jobs, params.id);
  const fields = editableOf(body, await wholeView(present, context, unit));
  const job = await editJob(context, present, fields, 'edit');
  return { body: await jobBody(job, context, unit) };
});
