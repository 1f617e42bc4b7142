import { createJob as route } from '../../lib/contract/routes/jobs.ts';
import { serve } from '../../lib/http/serve.ts';
import { openCreation } from '../../lib/http/services.ts';
import { createJob } from '../../lib/jobs/create-job.ts';

/** `POST /jobs` */
export const handler = serve(route, openCreation, async ({ body }, { principal, noteJob }, creation) => {
  const { id, replayed } = await createJob(creation, body, principal.name);
  noteJob(id);
  return { body: { id }, ...(replayed && { headers: { 'idempotent-replayed': 'true' } }) };
});
