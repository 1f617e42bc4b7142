import { removeRule } from '../../lib/catalog/remove-entry.ts';
import { deleteRule as route } from '../../lib/contract/routes/catalog.ts';
import { openCatalog } from '../../lib/http/open-catalog.ts';
import { serve } from '../../lib/http/serve.ts';

/** `DELETE /rules/{id}` */
export const handler = serve(route, openCatalog, async ({ params }, _call, registry) => ({
  body: { ...(await removeRule(registry, params.id)), source: 'imported' as const },
}));
