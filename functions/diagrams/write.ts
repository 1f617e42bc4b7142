import { createDiagrams } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { createJobStore } from '../../lib/composition/services.ts';
import { writeDiagram as route } from '../../lib/contract/routes/diagrams.ts';
import { writeDiagram } from '../../lib/diagrams/write-diagram.ts';

/** `PUT /diagrams/{name}` */
export const handler = handle(
  route,
  (core) => {
    const jobs = createJobStore(core);
    return {
      ...createDiagrams(core),
      clock: core.clock,
      hasJob: async (id: string) => (await jobs.find(id)) !== undefined,
    };
  },
  async ({ params, query, body }, _call, context) => {
    const { view, created } = await writeDiagram(context, { ...params, ...query }, body);
    return { status: created ? (201 as const) : (200 as const), body: view };
  },
);
