import { handle } from '../../lib/api/serve.ts';
import { importConfig } from '../../lib/catalog/catalog.ts';
import { importConfig as route } from '../../lib/contract/routes/catalog.ts';
import { CATALOG_LIST_NAMES, type ImportResult } from '../../lib/contract/schemas/config.ts';

/** `POST /config/import` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ query, body }, { core, noteTarget }, context) => {
    const result = await importConfig(context, body, { dryRun: query.dry_run, sandboxes: core.env.PROMPTQ_SANDBOXES });
    noteTarget(changedNames(result));
    return { body: result };
  },
);

/** The names of what changed, by list. */
function changedNames(result: ImportResult): Record<string, string> {
  if (result.dry_run) return { dry_run: 'yes' };
  return Object.fromEntries(
    CATALOG_LIST_NAMES.flatMap((list) => {
      const names = [...result[list].created, ...result[list].updated];
      return names.length === 0 ? [] : [[list, names.join(', ')]];
    }),
  );
}
