import { listRules as route } from '../../lib/contract/routes/catalog.ts';
import { openRules } from '../../lib/http/open-catalog.ts';
import { serve } from '../../lib/http/serve.ts';

/** `GET /rules` */
export const handler = serve(route, openRules, async ({ query }, _call, rules) => {
  const { items, nextCursor } = await rules.page(query);
  return { body: { items: items.map((rule) => ({ ...rule, source: 'imported' as const })), next_cursor: nextCursor } };
});
