import { createRules } from '../../lib/api/runtime/create-catalog.ts';
import { handle } from '../../lib/api/serve.ts';
import { listRules as route } from '../../lib/contract/routes/catalog.ts';

/** `GET /rules` */
export const handler = handle(route, createRules, async ({ query }, _call, rules) => {
  const { items, nextCursor } = await rules.page(query);
  return { body: { items: items.map((rule) => ({ ...rule, source: 'imported' as const })), next_cursor: nextCursor } };
});
