import { handle } from '../../lib/api/serve.ts';
import { templatePage, viewTemplate } from '../../lib/catalog/templates.ts';
import { listTemplates as route } from '../../lib/contract/routes/templates.ts';

/** `GET /templates` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ query }, _call, registry) => {
    const { items, nextCursor } = await templatePage(registry, query);
    return { body: { items: items.map(viewTemplate), next_cursor: nextCursor } };
  },
);
