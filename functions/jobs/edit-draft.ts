import { createProjects } from '../../lib/api/runtime/create-catalog.ts';
import { createEdits } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { jobBody } from '../../lib/api/serve-action.ts';
import { editDraft as route } from '../../lib/contract/routes/jobs.ts';
import { editDraft } from '../../lib/jobs/creation/edit-job.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `PATCH /jobs/{id}/draft` */
export const handler = handle(
  route,
  (core) => ({ ...createEdits(core), projects: createProjects(core) }),
  async ({ params, body }, { core }, context) => {
    const job = await editDraft(context, await findJob(context.jobs, params.id), body, 'edit_draft');
    return { body: await jobBody(job, context, core.env.PROMPTQ_TIMEOUT_UNIT) };
  },
);
