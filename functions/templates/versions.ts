import { handle } from '../../lib/api/serve.ts';
import { versionPage } from '../../lib/catalog/templates.ts';
import { listTemplateVersions as route } from '../../lib/contract/routes/templates.ts';

/** `GET /templates/{name}/versions` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ params, query }, _call, registry) => {
    const { items, nextCursor } = await versionPage(registry, params.name, query);
    const versions = items.map(({ version, updated_at }) => ({ version, updated_at }));
    return { body: { items: versions, next_cursor: nextCursor } };
  },
);
