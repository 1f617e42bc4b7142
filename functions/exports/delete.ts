import { createExportRemoval } from '../../lib/api/runtime/exports.ts';
import { handle } from '../../lib/api/serve.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { deleteExport as route } from '../../lib/contract/routes/exports.ts';
import { viewExport } from '../../lib/exports/export-record.ts';

/** `DELETE /exports/{id}` */
export const handler = handle(route, createExportRemoval, async ({ params }, _call, { exports, objects }) => {
  const record = await exports.remove(params.id);
  if (record === undefined) throw ApiError.of('not_found');
  await objects.remove(record.id, 'all');
  return { body: viewExport(record) };
});
