import { openCatalog, openProjects } from '../../lib/api/runtime/open-catalog.ts';
import { serve } from '../../lib/api/serve.ts';
import { deleteProject as route } from '../../lib/contract/routes/project-settings.ts';
import { DeployBindingStore } from '../../lib/deployments/bindings/deploy-binding-store.ts';
import { removeProject } from '../../lib/projects/remove-project.ts';

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
