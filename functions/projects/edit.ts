import { createProjectSettings } from '../../lib/api/runtime/create-project-settings.ts';
import { handle } from '../../lib/api/serve.ts';
import { editProject as route } from '../../lib/contract/routes/project-settings.ts';
import { editProject } from '../../lib/projects/edit-project.ts';

/** `PATCH /projects/{id}` */
export const handler = handle(route, createProjectSettings, async ({ params, body }, _call, context) => ({
  body: await editProject(context, params.id, body),
}));
