import { viewProfile } from '../../lib/catalog/profiles.ts';
import { removeProfile } from '../../lib/catalog/remove-entry.ts';
import { deleteProfile as route } from '../../lib/contract/routes/catalog.ts';
import { openCatalog } from '../../lib/http/open-catalog.ts';
import { deploymentFacts } from '../../lib/http/open-overview.ts';
import { serve } from '../../lib/http/serve.ts';

/** `DELETE /profiles/{name}` */
export const handler = serve(route, openCatalog, async ({ params }, { core }, registry) => {
  const deployment = deploymentFacts(core);
  return { body: viewProfile(await removeProfile(registry, params.name, deployment), deployment) };
});
