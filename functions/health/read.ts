import { timestamp } from '../../lib/aws/table-clock.ts';
import { readHealth as route } from '../../lib/contract/routes/service.ts';
import { serve } from '../../lib/http/serve.ts';
import { openHealth } from '../../lib/http/services.ts';
import { checkHealth } from '../../lib/jobs/check-health.ts';

/** `GET /health` */
export const handler = serve(route, openHealth, async (_input, { core }, context) => {
  const { status, checks, counts } = await checkHealth(context);
  return {
    body: {
      status,
      version: core.env.PROMPTQ_VERSION,
      time: timestamp(core.clock.now()),
      status_counts: counts,
      checks,
    },
  };
});
