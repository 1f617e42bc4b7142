import { openProjects } from '../../lib/api/runtime/open-catalog.ts';
import { openEdits } from '../../lib/api/runtime/services.ts';
import { serve } from '../../lib/api/serve.ts';
import { jobBody } from '../../lib/api/serve-action.ts';
import { editDraft as route } from '../../lib/contract/routes/jobs.ts';
import { editDraft } from '../../lib/jobs/creation/edit-job.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `PATCH /jobs/{id}/draft` */
export const handler = serve(
  route,
  (core) => ({ ...openEdits(core), projects: openProjects(core) }),
  async ({ params, body }, { core }, context) => {
    const job = await editDraft(context, await findJob(context.jobs, params.id), body, 'edit_draft');
    return { body: await jobBody(job, context, core.env.PROMPTQ_TIMEOUT_UNIT) };
  },
);
