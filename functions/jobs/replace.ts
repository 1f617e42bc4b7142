import { createEdits } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { wholeView } from '../../lib/api/serve-action.ts';
import { withoutOutput } from '../../lib/contract/output-fields.ts';
import { replaceJob as route } from '../../lib/contract/routes/jobs.ts';
import { job as schema } from '../../lib/contract/schemas/jobs/job.ts';
import { oneName } from '../../lib/contract/schemas/jobs/one-name.ts';
import { editJob } from '../../lib/jobs/creation/edit-job.ts';
import { editableOf } from '../../lib/jobs/creation/read-only-fields.ts';

/** `PUT /jobs/{id}`: a job as read, with changes */
export const handler = handleJob(route, createEdits, async ({ body }, { core, showsOutput }, context, found) => {
  const unit = core.env.PROMPTQ_TIMEOUT_UNIT;
  const present = await found;
  const view = await wholeView(present, context, unit);
  const fields = editableOf(body, showsOutput ? view : schema.parse(withoutOutput(schema, view)));
  const job = await editJob(context, present, oneName(fields), 'edit');
  return { body: await wholeView(job, context, unit) };
});
