import { editProject } from '../../lib/catalog/edit-project.ts';
import { editProject as route } from '../../lib/contract/routes/project-settings.ts';
import { openProjectSettings } from '../../lib/http/open-project-settings.ts';
import { serve } from '../../lib/http/serve.ts';

/** `PATCH /projects/{id}` */
export const handler = serve(route, openProjectSettings, async ({ params, body }, _call, context) => ({
  body: await editProject(context, params.id, body),
}));
