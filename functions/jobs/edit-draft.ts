import { createEdits } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { wholeView } from '../../lib/api/serve-action.ts';
import { editDraft as route } from '../../lib/contract/routes/jobs.ts';
import { oneName } from '../../lib/contract/schemas/jobs/one-name.ts';
import { editDraft } from '../../lib/jobs/creation/edit-job.ts';
import { ProjectStore } from '../../lib/projects/projects.ts';

/** `PATCH /jobs/{id}/draft` */
export const handler = handleJob(
  route,
  (core) => ({ ...createEdits(core), projects: new ProjectStore(core.registry) }),
  async ({ body }, { core }, context, found) => {
    const job = await editDraft(context, await found, oneName(body), 'edit_draft');
    return { body: await wholeView(job, context, core.env.PROMPTQ_TIMEOUT_UNIT) };
  },
);
