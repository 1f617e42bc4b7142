import { handle } from '../../lib/api/serve.ts';
import { DeployBindingStore } from '../../lib/bindings/deploy-binding-store.ts';
import { deleteProject as route } from '../../lib/contract/routes/project-settings.ts';
import { ProjectStore } from '../../lib/projects/projects.ts';
import { removeProject } from '../../lib/projects/remove-project.ts';

/** `DELETE /projects/{id}` */
export const handler = handle(
  route,
  ({ registry, env }) => ({
    registry,
    projects: new ProjectStore(registry),
    bindings: new DeployBindingStore(registry),
    workspaces: env.PROMPTQ_WORKSPACES,
  }),
  async ({ params }, _call, context) => ({ body: await removeProject(context, params.id) }),
);
