import { deploymentFacts } from '../../lib/api/runtime/create-overview.ts';
import { handle } from '../../lib/api/serve.ts';
import { viewProfile } from '../../lib/catalog/profiles.ts';
import { removeProfile } from '../../lib/catalog/remove-entry.ts';
import { deleteProfile as route } from '../../lib/contract/routes/catalog.ts';

/** `DELETE /profiles/{name}` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ params }, { core }, registry) => {
    const deployment = deploymentFacts(core);
    return { body: viewProfile(await removeProfile(registry, params.name, deployment), deployment) };
  },
);
