import { createExportLinks } from '../../lib/api/runtime/exports.ts';
import { handle } from '../../lib/api/serve.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { readExport as route } from '../../lib/contract/routes/exports.ts';
import { isFree } from '../../lib/exports/export-record.ts';
import { withLinks } from '../../lib/exports/offer-export.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';

/** `GET /exports/{id}` */
export const handler = handle(route, createExportLinks, async ({ params }, { showsOutput }, context) => {
  const record = await context.exports.get(params.id);
  if (record === undefined) throw ApiError.of('not_found');
  // The attempt has died, or never began, and Lambda no longer repeats it.
  if (isFree(record, timestamp(context.clock.now()))) await context.wake(record.id);
  return { body: await withLinks(context, record, { showsOutput }) };
});
