import { openProjectSettings } from '../../lib/api/runtime/open-project-settings.ts';
import { serve } from '../../lib/api/serve.ts';
import { editProject as route } from '../../lib/contract/routes/project-settings.ts';
import { editProject } from '../../lib/projects/edit-project.ts';

/** `PATCH /projects/{id}` */
export const handler = serve(route, openProjectSettings, async ({ params, body }, _call, context) => ({
  body: await editProject(context, params.id, body),
}));
