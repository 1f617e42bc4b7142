import { createOverview } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { readStats as route } from '../../lib/contract/routes/overview.ts';
import { readStats } from '../../lib/stats/read-stats.ts';

/** `GET /stats` */
export const handler = handle(route, createOverview, async (_input, { core }, context) => {
  return { body: await readStats(context, core.clock.now()) };
});
