import { handle } from '../../lib/api/serve.ts';
import { viewBinding } from '../../lib/bindings/deploy-binding.ts';
import { DeployBindingStore } from '../../lib/bindings/deploy-binding-store.ts';
import { listBindings as route } from '../../lib/contract/routes/deploy-bindings.ts';
import { ProjectStore } from '../../lib/projects/projects.ts';

/** `GET /deploy-bindings` */
export const handler = handle(
  route,
  ({ registry }) => ({ bindings: new DeployBindingStore(registry), projects: new ProjectStore(registry) }),
  async ({ query }, _call, { bindings, projects }) => {
    const project = query.project === undefined ? undefined : await projects.find(query.project);
    // A project that is not there has no bindings.
    const found = query.project !== undefined && project === undefined ? [] : await bindings.list(project?.id);
    return { body: { items: found.map(viewBinding) } };
  },
);
