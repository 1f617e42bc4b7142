import { openOverview } from '../../lib/api/runtime/open-overview.ts';
import { serve } from '../../lib/api/serve.ts';
import { readStats as route } from '../../lib/contract/routes/overview.ts';
import { readStats } from '../../lib/stats/read-stats.ts';

/** `GET /stats` */
export const handler = serve(route, openOverview, async (_input, { core }, context) => {
  return { body: await readStats(context, core.clock.now()) };
});
