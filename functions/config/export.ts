import { handle } from '../../lib/api/serve.ts';
import { exportConfig } from '../../lib/catalog/catalog.ts';
import { exportConfig as route } from '../../lib/contract/routes/catalog.ts';

/** `GET /config/export` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async (_input, _call, registry) => ({
    body: await exportConfig(registry),
  }),
);
