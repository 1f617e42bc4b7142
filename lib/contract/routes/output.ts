import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { logEvents, logs, logsHeaders, logsQuery, result, resultQuery } from '../schemas/output.ts';
import { jobParams } from './jobs.ts';

const redirect = {
  description: `The answer would be larger than ${LIMITS.streamedAnswerBytes} bytes: it is at \`Location\`, for ${LIMITS.redirectSeconds} seconds. Follow without credentials.`,
  headers: { Location: 'Where the same JSON is.' },
};

export const readResult = defineRoute({
  id: 'jobs.result',
  method: 'GET',
  path: '/jobs/{id}/result',
  scope: 'logs',
  summary: "Read a job's result with its output",
  description:
    'Can be read while the job runs: then it brings what there is. `attempt` reads the result of an earlier attempt, whose `status` and `state_reason` are what that attempt came to; a retry hides no earlier result.',
  params: jobParams,
  query: resultQuery,
  responses: { 200: { description: 'The result.', schema: result }, 303: redirect },
  errors: ['job_not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'write', registry: 'read', output: 'read' },
});

export const readLogs = defineRoute({
  id: 'jobs.logs',
  method: 'GET',
  path: '/jobs/{id}/logs',
  scope: 'logs',
  summary: "Read a job's output",
  description:
    'The same address works while the job runs and ever after; `follow=1` brings the output as it is written.',
  params: jobParams,
  query: logsQuery,
  headers: logsHeaders,
  responses: {
    200: { description: 'The output.', schema: logs, otherMedia: { 'text/event-stream': logEvents } },
    303: redirect,
  },
  errors: ['job_not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'write', registry: 'read', output: 'read', followSlots: 'write' },
});
