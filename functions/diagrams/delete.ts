import { createDiagrams } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { deleteDiagram as route } from '../../lib/contract/routes/diagrams.ts';
import { deleteDiagram } from '../../lib/diagrams/write-diagram.ts';

/** `DELETE /diagrams/{name}` */
export const handler = handle(route, createDiagrams, async ({ params, query }, _call, context) => ({
  body: await deleteDiagram(context, query.project, params.name),
}));
