import { handle } from '../../lib/api/serve.ts';
import { importConfig } from '../../lib/catalog/catalog.ts';
import { importConfig as route } from '../../lib/contract/routes/catalog.ts';

/** `POST /config/import` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ query, body }, { core }, context) => ({
    body: await importConfig(context, body, { dryRun: query.dry_run, sandboxes: core.env.PROMPTQ_SANDBOXES }),
  }),
);
