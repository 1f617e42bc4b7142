import { createOverview, deploymentFacts } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { readEnvironment as route } from '../../lib/contract/routes/overview.ts';
import { readEnvironment } from '../../lib/stats/read-stats.ts';

/** `GET /environment` */
export const handler = handle(route, createOverview, async (_input, { core }, context) => {
  return { body: await readEnvironment(context, deploymentFacts(core), core.clock.now()) };
});
