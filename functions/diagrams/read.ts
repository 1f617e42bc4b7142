import { createDiagrams } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { readDiagram as route } from '../../lib/contract/routes/diagrams.ts';
import { readDiagram } from '../../lib/diagrams/write-diagram.ts';

/** `GET /diagrams/{name}` */
export const handler = handle(route, createDiagrams, async ({ params, query }, _call, context) => ({
  body: await readDiagram(context, query.project, params.name),
}));
