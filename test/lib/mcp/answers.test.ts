import { expect, it } from 'vitest';
import { outcome, toolResult } from '../../../lib/mcp/answers.ts';

const PERSON = 'The job waits for a person. Tell your user: Sign in. Then call wait_for_job again.';

it.each([
  ['SUCCEEDED', 'exited', { message: 'Read it.' }],
  ['FAILED', 'exited', { message: 'The job failed: Sign in. job_logs returns its output.', isError: true }],
  ['CANCELLED', 'cancelled', { message: 'The job was cancelled: Sign in.', isError: true }],
  ['DRAFT', 'draft', { message: 'The job is a draft, which no worker starts.' }],
  ['QUEUED', 'account_required', { message: PERSON }],
  ['QUEUED', 'thread_stopped', { message: PERSON }],
  ['RUNNING', 'question', { message: expect.stringContaining('Call list_questions, then answer_question.') }],
  ['RUNNING', 'running', { message: 'The job has not ended: Sign in. Call wait_for_job again.' }],
] as const)('a job that is %s because of %s says what to do next', (status, code, expected) => {
  const state = { status, state_reason: { code, message: 'Sign in.' } } as Parameters<typeof outcome>[0];
  expect(outcome(state, 'Read it.')).toEqual(expected);
});

it('a result is the same JSON as text and as structure, and no error unless it says so', () => {
  const fields = { id: 'job_1', text: 'a\u202eb' };
  expect(toolResult({ message: 'Done.', fields })).toEqual({
    content: [{ type: 'text', text: '{"message":"Done.","id":"job_1","text":"a\\u202eb"}' }],
    ...{ structuredContent: { message: 'Done.', ...fields }, isError: false },
  });
  expect(toolResult({ message: 'No.', isError: true })).toMatchObject({
    ...{ structuredContent: { message: 'No.' }, isError: true },
  });
});
