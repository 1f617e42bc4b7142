import { defineRoute } from '../route.ts';
import { job } from '../schemas/jobs/job.ts';
import { answer, questionList } from '../schemas/jobs/question.ts';
import { jobParams } from './jobs.ts';

export const listQuestions = defineRoute({
  id: 'jobs.questions',
  method: 'GET',
  path: '/jobs/{id}/questions',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'List the questions of a job',
  description:
    'Returns what the agent asked, and the answers. `GET /jobs?needs=answer` lists the jobs with an open question.',
  params: jobParams,
  responses: { 200: { description: 'The questions.', schema: questionList } },
  errors: ['job_not_found', 'invalid_request'],
  mode: 'buffered',
  access: { jobs: 'read', registry: 'read' },
});

export const answerQuestion = defineRoute({
  id: 'jobs.answer',
  method: 'POST',
  path: '/jobs/{id}/answers',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: "Answer an agent's question",
  description:
    'The question must be open: a second answer is rejected, and so is one after the deadline. A job that waits for the answer is queued, and continues in the same session.',
  params: jobParams,
  body: answer,
  responses: { 200: { description: 'The updated job.', schema: job } },
  errors: ['job_not_found', 'invalid_request', 'invalid_state'],
  mode: 'stream',
  access: { jobs: 'write', registry: 'write', output: 'read', dispatchQueues: 'send' },
});
