import { deploymentFacts } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { ProfileStore, viewProfile } from '../../lib/catalog/profiles.ts';
import { listProfiles as route } from '../../lib/contract/routes/catalog.ts';

/** `GET /profiles` */
export const handler = handle(
  route,
  ({ registry }) => new ProfileStore(registry),
  async ({ query }, { core }, profiles) => {
    const { items, nextCursor } = await profiles.page(query);
    const deployment = deploymentFacts(core);
    return { body: { items: items.map((stored) => viewProfile(stored, deployment)), next_cursor: nextCursor } };
  },
);
