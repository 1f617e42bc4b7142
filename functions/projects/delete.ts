import { createProjects } from '../../lib/api/runtime/create-catalog.ts';
import { handle } from '../../lib/api/serve.ts';
import { DeployBindingStore } from '../../lib/bindings/deploy-binding-store.ts';
import { deleteProject as route } from '../../lib/contract/routes/project-settings.ts';
import { removeProject } from '../../lib/projects/remove-project.ts';

/** `DELETE /projects/{id}` */
export const handler = handle(
  route,
  (core) => ({
    registry: core.registry,
    projects: createProjects(core),
    bindings: new DeployBindingStore(core.registry),
    workspaces: core.env.PROMPTQ_WORKSPACES,
  }),
  async ({ params }, _call, context) => ({ body: await removeProject(context, params.id) }),
);
