import { replaceJob as route } from '../../lib/contract/routes/jobs.ts';
import { serve } from '../../lib/http/serve.ts';
import { jobBody, wholeView } from '../../lib/http/serve-action.ts';
import { openEdits } from '../../lib/http/services.ts';
import { editJob } from '../../lib/jobs/edit-job.ts';
import { findJob } from '../../lib/jobs/find-job.ts';
import { editableOf } from '../../lib/jobs/read-only-fields.ts';

/** `PUT /jobs/{id}`: a job as read, with changes */
export const handler = serve(route, openEdits, async ({ params, body }, { core }, context) => {
  const unit = core.env.PROMPTQ_TIMEOUT_UNIT;
  const present = await findJob(context.jobs, params.id);
  const fields = editableOf(body, await wholeView(present, context, unit));
  const job = await editJob(context, present, fields, 'edit');
  return { body: await jobBody(job, context, unit) };
});
