import { editJob as route } from '../../lib/contract/routes/jobs.ts';
import { serve } from '../../lib/http/serve.ts';
import { jobBody } from '../../lib/http/serve-action.ts';
import { openEdits } from '../../lib/http/services.ts';
import { editJob } from '../../lib/jobs/edit-job.ts';
import { findJob } from '../../lib/jobs/find-job.ts';

/** `PATCH /jobs/{id}` */
export const handler = serve(route, openEdits, async ({ params, body }, { core }, context) => {
  const job = await editJob(context, await findJob(context.jobs, params.id), body, 'edit');
  return { body: await jobBody(job, context, core.env.PROMPTQ_TIMEOUT_UNIT) };
});
