import { deploymentFacts } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { removeEntry } from '../../lib/catalog/catalog.ts';
import { TEMPLATES, viewTemplate } from '../../lib/catalog/templates.ts';
import { deleteTemplate as route } from '../../lib/contract/routes/templates.ts';

/** `DELETE /templates/{name}` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ params }, { core }, registry) => ({
    body: viewTemplate(await removeEntry(registry, TEMPLATES, params.name, deploymentFacts(core))),
  }),
);
