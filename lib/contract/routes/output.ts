import { EVENT_STREAM } from '../event-stream.ts';
import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { attachmentsQuery } from '../schemas/jobs/attachments.ts';
import { agentSession, logEvents, logs, logsHeaders, logsQuery, result, resultQuery } from '../schemas/jobs/output.ts';
import { jobParams } from './jobs.ts';

const redirect = {
  description: `The response is larger than ${LIMITS.streamedBytes} bytes. Fetch it from \`Location\` within ${LIMITS.redirectSeconds} seconds, without credentials.`,
  headers: { Location: 'A temporary URL of the same JSON.' },
};

export const readResult = defineRoute({
  id: 'jobs.result',
  method: 'GET',
  path: '/jobs/{id}/result',
  auth: { kind: 'principal', scope: 'logs' },
  summary: "Retrieve a job's result",
  description:
    'Returns the outcome of an attempt with its output. While the job runs, the result contains the output so far. With `attempt`, it is the result of an earlier attempt, with the `status` and `state_reason` in which that attempt ended.',
  params: jobParams,
  query: resultQuery,
  responses: { 200: { description: 'The result.', schema: result }, 303: redirect },
  errors: ['job_not_found', 'output_deleted', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', registry: 'read', output: 'read' },
});

export const readLogs = defineRoute({
  id: 'jobs.logs',
  method: 'GET',
  path: '/jobs/{id}/logs',
  auth: { kind: 'principal', scope: 'logs' },
  summary: "Retrieve a job's output",
  description:
    'Returns the output of an attempt, while it runs and after it has ended. With `follow=1`, the output is streamed as it is written.',
  params: jobParams,
  query: logsQuery,
  headers: logsHeaders,
  responses: {
    200: { description: 'The output.', schema: logs, otherMedia: { [EVENT_STREAM]: logEvents } },
    303: redirect,
  },
  errors: ['job_not_found', 'output_deleted', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'write', registry: 'read', output: 'read', followSlots: 'write' },
});

export const readAgentSession = defineRoute({
  id: 'jobs.session',
  method: 'GET',
  path: '/jobs/{id}/session',
  auth: { kind: 'principal', scope: 'logs' },
  summary: "Retrieve the session of a job's agent",
  description:
    'Returns what the CLI of codex or claude keeps of its conversation, as stored so far, with all secrets masked. It is saved at most every 10 seconds while the attempt runs, and when it ends. Sessions of more than 64 MiB are cut off.',
  params: jobParams,
  query: attachmentsQuery,
  responses: {
    200: { description: 'The session.', otherMedia: { 'text/plain': agentSession } },
  },
  errors: ['job_not_found', 'output_deleted', 'not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', output: 'read' },
});
