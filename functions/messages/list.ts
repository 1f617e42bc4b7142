import { Readable } from 'node:stream';
import { createMessages } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { listMessages as route } from '../../lib/contract/routes/messages.ts';
import { messageList } from '../../lib/contract/schemas/jobs/message.ts';
import { viewMessage } from '../../lib/jobs/messages/view-messages.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `GET /jobs/{id}/messages` */
export const handler = handle(route, createMessages, async ({ params }, _call, { jobs, messages }) => {
  const { id } = await findJob(jobs, params.id);
  const items = (await messages.list(id)).map(viewMessage);
  // Streamed because a hundred long messages, escaped twice, can pass what Lambda buffers.
  return { body: Readable.from([Buffer.from(JSON.stringify(messageList.parse({ items })))]) };
});
