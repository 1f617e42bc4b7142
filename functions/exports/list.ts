import { handle } from '../../lib/api/serve.ts';
import { listExports as route } from '../../lib/contract/routes/exports.ts';
import { viewExport } from '../../lib/exports/export-record.ts';
import { ExportStore } from '../../lib/exports/export-store.ts';

/** `GET /exports` */
export const handler = handle(
  route,
  ({ registry }) => new ExportStore(registry),
  async (_input, _call, exports) => ({ body: { items: (await exports.list()).map(viewExport) } }),
);
