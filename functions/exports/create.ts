import { createExports } from '../../lib/api/runtime/exports.ts';
import { handle } from '../../lib/api/serve.ts';
import { createExport as route } from '../../lib/contract/routes/exports.ts';
import { withoutLinks } from '../../lib/exports/offer-export.ts';

/** `POST /exports` */
export const handler = handle(route, createExports, async ({ body }, { principal, noteTarget }, { exports, wake }) => {
  const record = await exports.create(body, principal.name);
  noteTarget({ id: record.id, kind: body.kind });
  await wake(record.id);
  return { body: withoutLinks(record) };
});
