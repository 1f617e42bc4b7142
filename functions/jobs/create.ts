import { keyOwnerOf } from '../../lib/access/principal.ts';
import { replayHeaders } from '../../lib/api/replay-headers.ts';
import { createCreation } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { BASE_PATH } from '../../lib/contract/route.ts';
import { createJob as route } from '../../lib/contract/routes/jobs.ts';
import { oneName } from '../../lib/contract/schemas/jobs/one-name.ts';
import { createJob } from '../../lib/jobs/creation/create-job.ts';

/** `POST /jobs` */
export const handler = handle(route, createCreation, async ({ body }, { core, principal, noteJob }, creation) => {
  const tokenId = principal.kind === 'token' ? principal.id : undefined;
  const sender = { tokenId, keyOwner: keyOwnerOf(principal) };
  const created = await createJob(creation, oneName(body), principal.name, sender);
  const { id } = created;
  noteJob(id);
  // The job is stored. An unreadable public address must not make the creation fail.
  const origin = await core.serviceEndpoints.publicOrigin().catch((error: unknown) => {
    core.log.warn('the public address could not be read', error as Error);
    return undefined;
  });
  return {
    headers: { location: `${BASE_PATH}/jobs/${id}`, ...replayHeaders(created) },
    body: { ...created, url: origin === undefined ? null : pageOf(id, origin) },
  };
});

/**
 * The job's page in the console. The local run keeps its browser host name out of responses and redirects browsers to
 * it.
 */
function pageOf(id: string, origin: string): string {
  const page = new URL(`/jobs/${id}`, origin);
  if (page.hostname.endsWith('.localhost')) page.hostname = '127.0.0.1';
  return page.href;
}
