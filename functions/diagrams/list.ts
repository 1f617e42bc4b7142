import { createDiagrams } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { listDiagrams as route } from '../../lib/contract/routes/diagrams.ts';
import { listDiagrams } from '../../lib/diagrams/write-diagram.ts';

/** `GET /diagrams` */
export const handler = handle(route, createDiagrams, async ({ query }, _call, context) => ({
  body: { items: await listDiagrams(context, query.project) },
}));
