import { handle } from '../../lib/api/serve.ts';
import { requireTemplate, viewTemplate } from '../../lib/catalog/templates.ts';
import { readTemplate as route } from '../../lib/contract/routes/templates.ts';

/** `GET /templates/{name}` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ params, query }, _call, registry) => ({
    body: viewTemplate(await requireTemplate(registry, params.name, query.version)),
  }),
);
