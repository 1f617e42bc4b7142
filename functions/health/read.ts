import { createHealth } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { readHealth as route } from '../../lib/contract/routes/service.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { checkHealth } from '../../lib/stats/check-health.ts';

/** `GET /health` */
export const handler = handle(route, createHealth, async (_input, { core }, context) => {
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
