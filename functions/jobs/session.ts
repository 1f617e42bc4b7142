import { Readable } from 'node:stream';
import type { Core } from '../../lib/api/runtime/core.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { createJobStore } from '../../lib/composition/services.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { readAgentSession as route } from '../../lib/contract/routes/output.ts';
import { AgentSessionStore } from '../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import { attemptOf } from '../../lib/jobs/output/reading/read-attachment.ts';
import { objectClient } from '../../lib/platform/aws/clients.ts';

/** `GET /jobs/{id}/session` */
export const handler = handleJob(route, createSessions, async ({ query }, _call, { sessions }, found) => {
  const job = await found;
  const session = await sessions.find(job.id, attemptOf(job, query.attempt));
  if (session === undefined) throw ApiError.of('not_found');
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "default-src 'none'; sandbox",
  };
  return { headers, body: Readable.from(session.read(), { objectMode: false }) };
});

function createSessions(core: Core) {
  const objects = objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE });
  return { jobs: createJobStore(core), sessions: new AgentSessionStore(objects, core.env.OUTPUT_BUCKET) };
}
