import { exportConfig } from '../../lib/catalog/export-config.ts';
import { exportConfig as route } from '../../lib/contract/routes/catalog.ts';
import { openCatalog } from '../../lib/http/open-catalog.ts';
import { serve } from '../../lib/http/serve.ts';

/** `GET /config/export` */
export const handler = serve(route, openCatalog, async (_input, _call, registry) => ({
  body: await exportConfig(registry),
}));
