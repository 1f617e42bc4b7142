import { importConfig } from '../../lib/catalog/import-config.ts';
import { importConfig as route } from '../../lib/contract/routes/catalog.ts';
import { openCatalog } from '../../lib/http/open-catalog.ts';
import { serve } from '../../lib/http/serve.ts';

/** `POST /config/import` */
export const handler = serve(route, openCatalog, async ({ query, body }, { core }, context) => ({
  body: await importConfig(context, body, { dryRun: query.dry_run, sandboxes: core.env.PROMPTQ_SANDBOXES }),
}));
