import { createEdits } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { jobBody } from '../../lib/api/serve-action.ts';
import { editJob as route } from '../../lib/contract/routes/jobs.ts';
import { editJob } from '../../lib/jobs/creation/edit-job.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `PATCH /jobs/{id}` */
export const handler = handle(route, createEdits, async ({ params, body }, { core }, context) => {
  const job = await editJob(context, await findJob(context.jobs, params.id), body, 'edit');
  return { body: await jobBody(job, context, core.env.PROMPTQ_TIMEOUT_UNIT) };
});
