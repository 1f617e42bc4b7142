import { handle } from '../../lib/api/serve.ts';
import { removeRule } from '../../lib/catalog/remove-entry.ts';
import { deleteRule as route } from '../../lib/contract/routes/catalog.ts';

/** `DELETE /rules/{id}` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ params }, _call, registry) => ({
    body: { ...(await removeRule(registry, params.id)), source: 'imported' as const },
  }),
);
