import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { messageAccepted, messageCreation, messageList } from '../schemas/jobs/message.ts';
import { jobParams } from './jobs.ts';

export const createMessage = defineRoute({
  id: 'messages.create',
  method: 'POST',
  path: '/jobs/{id}/messages',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: 'Send a message to a job',
  description: `A running agent gets it with its next model request, in the same turn. A queued job gets it with its prompt. The job must be QUEUED or RUNNING, and takes at most ${LIMITS.messages.perJob} messages. With \`drive: exec\` in its profile an agent takes none while it runs: they wait for its next attempt. What the agent has not got when the job succeeds or fails becomes the next turn of the thread, unless \`only_now\` is true. The agent \`shell\` takes none.`,
  params: jobParams,
  body: messageCreation,
  responses: {
    202: {
      description: 'The message was accepted.',
      schema: messageAccepted,
      headers: {
        'Idempotent-Replayed': '`true` if the sender has sent the job a message with this idempotency key before.',
        'Idempotent-Differs':
          'The fields in which the request differs from the first one with its key, separated by commas.',
      },
    },
  },
  errors: ['job_not_found', 'invalid_request', 'invalid_state'],
  mode: 'buffered',
  access: { jobs: 'write', registry: 'write' },
});

export const listMessages = defineRoute({
  id: 'messages.list',
  method: 'GET',
  path: '/jobs/{id}/messages',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'List the messages of a job',
  description: 'Returns all messages to the job, in the order in which they were accepted.',
  params: jobParams,
  responses: { 200: { description: 'The messages.', schema: messageList } },
  errors: ['job_not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', registry: 'read' },
});
