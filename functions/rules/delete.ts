import { deploymentFacts } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { removeEntry } from '../../lib/catalog/catalog.ts';
import { RULES } from '../../lib/catalog/rules.ts';
import { deleteRule as route } from '../../lib/contract/routes/catalog.ts';

/** `DELETE /rules/{id}` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ params }, { core }, registry) => ({
    body: { ...(await removeEntry(registry, RULES, params.id, deploymentFacts(core))), source: 'imported' as const },
  }),
);
