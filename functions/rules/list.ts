import { handle } from '../../lib/api/serve.ts';
import { RuleStore } from '../../lib/catalog/rules.ts';
import { listRules as route } from '../../lib/contract/routes/catalog.ts';

/** `GET /rules` */
export const handler = handle(
  route,
  ({ registry }) => new RuleStore(registry),
  async ({ query }, _call, rules) => {
    const { items, nextCursor } = await rules.page(query);
    return {
      body: { items: items.map((rule) => ({ ...rule, source: 'imported' as const })), next_cursor: nextCursor },
    };
  },
);
