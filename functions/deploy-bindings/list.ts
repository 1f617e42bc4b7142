import { viewBinding } from '../../lib/catalog/deploy-binding.ts';
import { listBindings as route } from '../../lib/contract/routes/deploy-bindings.ts';
import { openBindingList } from '../../lib/http/open-bindings.ts';
import { serve } from '../../lib/http/serve.ts';

/** `GET /deploy-bindings` */
export const handler = serve(route, openBindingList, async ({ query }, _call, { bindings, projects }) => {
  const project = query.project === undefined ? undefined : await projects.find(query.project);
  // A project that is not there has no bindings.
  const found = query.project !== undefined && project === undefined ? [] : await bindings.list(project?.id);
  return { body: { items: found.map(viewBinding) } };
});
