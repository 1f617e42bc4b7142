import { deploymentFacts } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { removeEntry } from '../../lib/catalog/catalog.ts';
import { PROFILES, viewProfile } from '../../lib/catalog/profiles.ts';
import { deleteProfile as route } from '../../lib/contract/routes/catalog.ts';

/** `DELETE /profiles/{name}` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ params }, { core }, registry) => {
    const deployment = deploymentFacts(core);
    return { body: viewProfile(await removeEntry(registry, PROFILES, params.name, deployment), deployment) };
  },
);
