import { keyOwnerOf } from '../../lib/access/principal.ts';
import { replayHeaders } from '../../lib/api/replay-headers.ts';
import { createMessages } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { createMessage as route } from '../../lib/contract/routes/messages.ts';
import { acceptMessage } from '../../lib/jobs/messages/accept-message.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `POST /jobs/{id}/messages` */
export const handler = handle(route, createMessages, async ({ params, body }, { principal, noteJob }, context) => {
  const job = await findJob(context.jobs, params.id);
  const accepted = await acceptMessage(context, job, body, principal.name, keyOwnerOf(principal));
  noteJob(job.id);
  return { headers: replayHeaders(accepted), body: accepted };
});
