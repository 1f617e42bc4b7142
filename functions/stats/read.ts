import { readStats as route } from '../../lib/contract/routes/overview.ts';
import { openOverview } from '../../lib/http/open-overview.ts';
import { serve } from '../../lib/http/serve.ts';
import { readStats } from '../../lib/jobs/read-stats.ts';

/** `GET /stats` */
export const handler = serve(route, openOverview, async (_input, { core }, context) => {
  return { body: await readStats(context, core.clock.now()) };
});
