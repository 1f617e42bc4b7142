import { platformFacts } from '../../lib/api/runtime/platform-facts.ts';
import { createOverview } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { readPlatform as route } from '../../lib/contract/routes/overview.ts';
import { readPlatform } from '../../lib/stats/read-platform.ts';

/** `GET /platform` */
export const handler = handle(route, createOverview, async (_input, { core }, context) => ({
  body: await readPlatform(context, await platformFacts(core), core.clock.now()),
}));
