import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProfileStore } from '../../../lib/catalog/profiles.ts';
import { withOperatorRegistry } from '../../../lib/local/operator/operator-registry.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { amount } from '../../vitest/amount.ts';
import { claudeCli, INSTALL_LIMIT } from '../../worker-container/agents/claude-cli.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;

beforeAll(async () => {
  const PROMPTQ_CLAUDE_BIN = await claudeCli();
  service = await startService({
    env: { PROMPTQ_CLAUDE_BIN, PROMPTQ_ANSWER_WAIT_SECONDS: '5', PROMPTQ_WATCH_SECONDS: '2' },
  });
  await withOperatorRegistry({ stack: undefined, home: service.home }, async (registry) => {
    const profiles = new ProfileStore(registry);
    await profiles.put({ name: 'claude', agent: 'claude', vendor: 'practice' });
  });
}, INSTALL_LIMIT);

afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const read = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;
const resultOf = async (id: string) => (await service.api('GET', `/jobs/${id}/result`)).json;
const questionsOf = async (id: string) => (await service.api('GET', `/jobs/${id}/questions`)).json.items;
const needing = async () => (await service.api('GET', '/jobs?needs=answer')).json;
const answerTo = async (id: string, question_id: string, answer: string) =>
  await service.api('POST', `/jobs/${id}/answers`, { question_id, answer });
const ask = (input: object) => `drill: use ask_human ${JSON.stringify(input)}`;

/** The id of the job's question, once it is asked. */
async function untilAsked(id: string): Promise<string> {
  await waitFor(async () => (await read(id)).question !== null);
  return (await read(id)).question.id;
}

async function untilParked(id: string): Promise<void> {
  await waitFor(async () => {
    const { status, state_reason } = await read(id);
    return status === 'QUEUED' && state_reason.code === 'question';
  });
}

test('a question ends the wait for a change while the agent still waits for the answer', async () => {
  const id = await createJob(service, { prompt: ask({ question: 'Which color?' }) });
  let state: { status: string; state_reason: { code: string } };
  do state = (await service.api('GET', `/jobs/${id}/status?wait=25`)).json;
  while (state.state_reason.code !== 'question');
  expect(state).toMatchObject({ status: 'RUNNING', terminal: false });
  expect((await service.api('GET', '/jobs')).json.items[0]).toMatchObject({ id, state_reason: { code: 'question' } });
  await answerTo(id, (await read(id)).question.id, 'blue');
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
});

test.for(amount(['practice'], ['practice', 'claude']))(
  'a quick answer is the result of the call, and a late one continues the session (%s)',
  async (profile) => {
    const input = { question: 'Which color?', options: ['red', 'blue'] };
    const id = await createJob(service, { prompt: `${ask(input)}\ndrill: ask Which size?`, profile });
    const color = await untilAsked(id);
    expect(await questionsOf(id)).toMatchObject([
      { id: color, job_id: id, state: 'open', ...input, default: null, attempt: 1, answer: null },
    ]);
    expect((await needing()).items).toMatchObject([{ id, status: 'RUNNING' }]);
    const answered = await answerTo(id, color, 'blue, please');
    expect(answered).toMatchObject({ status: 200, json: { status: 'RUNNING', question: { state: 'answered' } } });

    await waitFor(async () => (await read(id)).question.id !== color);
    await untilParked(id);
    const waiting = await read(id);
    expect(waiting).toMatchObject({ status: 'QUEUED', attempt: 1, worker_id: null, resume_from: 1 });
    expect(waiting.state_reason.next_check_at).toBe(waiting.question.deadline);
    const session = (await service.api('GET', `/jobs/${id}/session?attempt=1`)).text;
    expect(session).toContain('The answer: blue, please');
    const listed = await needing();
    expect(listed.items).toMatchObject([{ id, status: 'QUEUED', state_reason: { code: 'question' } }]);
    await waitFor(async () => (await needing()).total === 1);
    expect((await service.api('GET', '/jobs?status=QUEUED')).json.items).toMatchObject([{ id }]);
    expect((await answerTo(id, waiting.question.id, 'large')).status).toBe(200);
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    const { composed_prompt } = await resultOf(id);
    expect(composed_prompt).toContain('now continues where you stopped');
    expect(composed_prompt).toContain('You asked:\n\nWhich size?\n\nThe answer:\n\nlarge');
    expect((await read(id)).attempts).toMatchObject([
      { attempt: 2, resumed_from: 1 },
      { attempt: 1, status: 'QUEUED', state_reason: { code: 'question' } },
    ]);
    expect((await needing()).items).toEqual([]);
    await waitFor(async () => (await needing()).total === 0);
    const by = { state: 'answered', answered_by: expect.stringContaining('token:'), attempt: 1 };
    expect(await questionsOf(id)).toMatchObject([
      { ...by, answer: 'large' },
      { ...by, answer: 'blue, please' },
    ]);
  },
);

test('a second answer and one to another question are rejected with the state', async () => {
  const id = await createJob(service, { prompt: 'drill: ask Which color?' });
  const questionId = await untilAsked(id);
  expect(await answerTo(id, 'q_other', 'red')).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining(questionId), details: { state: 'RUNNING', action: 'answer' } },
  });
  const both = await Promise.all([answerTo(id, questionId, 'red'), answerTo(id, questionId, 'blue')]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  const first = both[0]?.status === 200 ? 'red' : 'blue';
  expect(await answerTo(id, questionId, 'green')).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('is answered'), details: { action: 'answer' } },
  });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await resultOf(id)).final_message).toContain(`The answer: ${first}`);
  expect(await questionsOf(id)).toMatchObject([{ answer: first }]);
});

// They wait for deadlines, all at the same time.
describe.concurrent('without an answer', () => {
  test.for([
    ...amount([], [{ what: 'while the agent waits', deadline: 1, attempt: 1 }]),
    { what: 'while the job is parked', deadline: 12, attempt: 2 },
  ])('the default becomes the answer $what', async ({ deadline, attempt }) => {
    const id = await createJob(service, {
      prompt: ask({ question: 'Which?', default: 'gray', deadline_seconds: deadline }),
    });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt });
    const { composed_prompt, final_message } = await resultOf(id);
    expect(attempt === 1 ? final_message : composed_prompt).toMatch(/Nobody answered before the deadline\..*\n*.*gray/);
    const [question] = await questionsOf(id);
    expect(question).toMatchObject({ state: 'expired', answer: null, default: 'gray' });
    expect((await answerTo(id, question.id, 'late')).status).toBe(400);
  });

  test.for([
    { what: 'while the agent waits', deadline: 1 },
    ...amount([], [{ what: 'while the job is parked', deadline: 12 }]),
  ])('and without a default, the job fails without a retry $what', async ({ deadline }) => {
    const prompt = ask({ question: 'Which?', deadline_seconds: deadline });
    const id = await createJob(service, { prompt, retries: 2 });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED', attempt: 1 });
    expect(await read(id)).toMatchObject({ state_reason: { code: 'not_answered' }, question: { state: 'expired' } });
  });
});
