import { editDraft as route } from '../../lib/contract/routes/jobs.ts';
import { openProjects } from '../../lib/http/open-catalog.ts';
import { serve } from '../../lib/http/serve.ts';
import { jobBody } from '../../lib/http/serve-action.ts';
import { openEdits } from '../../lib/http/services.ts';
import { editDraft } from '../../lib/jobs/edit-job.ts';
import { findJob } from '../../lib/jobs/find-job.ts';

/** `PATCH /jobs/{id}/draft` */
export const handler = serve(
  route,
  (core) => ({ ...openEdits(core), projects: openProjects(core) }),
  async ({ params, body }, { core }, context) => {
    const job = await editDraft(context, await findJob(context.jobs, params.id), body, 'edit_draft');
    return { body: await jobBody(job, context, core.env.PROMPTQ_TIMEOUT_UNIT) };
  },
);
