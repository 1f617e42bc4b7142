import { createBindingList } from '../../lib/api/runtime/create-bindings.ts';
import { handle } from '../../lib/api/serve.ts';
import { viewBinding } from '../../lib/bindings/deploy-binding.ts';
import { listBindings as route } from '../../lib/contract/routes/deploy-bindings.ts';

/** `GET /deploy-bindings` */
export const handler = handle(route, createBindingList, async ({ query }, _call, { bindings, projects }) => {
  const project = query.project === undefined ? undefined : await projects.find(query.project);
  // A project that is not there has no bindings.
  const found = query.project !== undefined && project === undefined ? [] : await bindings.list(project?.id);
  return { body: { items: found.map(viewBinding) } };
});
