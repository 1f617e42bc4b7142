import { DeployBindingStore } from '../../lib/catalog/deploy-binding-store.ts';
import { deleteProject as route } from '../../lib/contract/routes/project-settings.ts';
import { openCatalog, openProjects } from '../../lib/http/open-catalog.ts';
import { serve } from '../../lib/http/serve.ts';
import { removeProject } from '../../lib/jobs/remove-project.ts';

/** `DELETE /projects/{id}` */
export const handler = serve(
  route,
  (core) => ({
    registry: openCatalog(core),
    projects: openProjects(core),
    bindings: new DeployBindingStore(openCatalog(core)),
    workspaces: core.env.PROMPTQ_WORKSPACES,
  }),
  async ({ params }, _call, context) => ({ body: await removeProject(context, params.id) }),
);
