import { Readable } from 'node:stream';
import { createAgentSessions } from '../../lib/api/runtime/create-attachments.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { readAgentSession as route } from '../../lib/contract/routes/output.ts';
import { attemptOf } from '../../lib/jobs/output/reading/read-attachment.ts';

/** `GET /jobs/{id}/session` */
export const handler = handleJob(route, createAgentSessions, async ({ query }, _call, { sessions }, found) => {
  const job = await found;
  const session = await sessions.find(job.id, attemptOf(job, query.attempt));
  if (session === undefined) throw ApiError.of('not_found');
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "default-src 'none'; sandbox",
  };
  return { headers, body: Readable.from(session.read(), { objectMode: false }) };
});
