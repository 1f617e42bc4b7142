import { readEnvironment as route } from '../../lib/contract/routes/overview.ts';
import { deploymentFacts, openOverview } from '../../lib/http/open-overview.ts';
import { serve } from '../../lib/http/serve.ts';
import { readEnvironment } from '../../lib/jobs/read-environment.ts';

/** `GET /environment` */
export const handler = serve(route, openOverview, async (_input, { core }, context) => {
  return { body: await readEnvironment(context, deploymentFacts(core), core.clock.now()) };
});
