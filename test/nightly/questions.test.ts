import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';

/** What `test/lib/jobs/lifecycle/question.test.ts` decides on each commit, in a whole run. */
let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_ANSWER_WAIT_SECONDS: '1', PROMPTQ_WATCH_SECONDS: '2' } });
  const profiles = [{ name: 'forgetful', agent: 'codex', vendor: 'practice', resume: 'never' }];
  expect((await service.api('POST', '/config/import', { profiles })).status).toBe(200);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const read = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;
const resultOf = async (id: string) => (await service.api('GET', `/jobs/${id}/result`)).json;
const questionsOf = async (id: string) => (await service.api('GET', `/jobs/${id}/questions`)).json.items;
const needing = async () => (await service.api('GET', '/jobs?needs=answer')).json;
const answerTo = async (id: string, question_id: string, answer: string) =>
  await service.api('POST', `/jobs/${id}/answers`, { question_id, answer });

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

test('a job that starts over with each answer asks nothing twice', async () => {
  const prompt = 'drill: ask Which color?\ndrill: ask Which size?';
  const id = await createJob(service, { prompt, profile: 'forgetful' });
  const color = await untilAsked(id);
  await untilParked(id);
  expect((await answerTo(id, color, 'blue')).status).toBe(200);
  await waitFor(async () => (await read(id)).question.id !== color);
  await untilParked(id);
  expect((await answerTo(id, (await read(id)).question.id, 'large')).status).toBe(200);
  await waitFor(async () => (await questionsOf(id)).length > 2 || (await read(id)).finished_at !== null);
  expect(await questionsOf(id)).toMatchObject([
    { question: 'Which size?', answer: 'large', attempt: 2 },
    { question: 'Which color?', answer: 'blue', attempt: 1 },
  ]);
  expect(await read(id)).toMatchObject({ status: 'SUCCEEDED', attempt: 3 });
  const told = 'You asked:\n\nWhich color?\n\nThe answer:\n\nblue\n\nYou asked:\n\nWhich size?\n\nThe answer:\n\nlarge';
  expect((await resultOf(id)).composed_prompt).toBe(`${prompt}\n\n${told}`);
});

test('cancel, retry and an edit of the prompt withdraw the question', async () => {
  const id = await createJob(service, { prompt: 'drill: ask First?' });
  const first = await untilAsked(id);
  await untilParked(id);
  expect((await service.api('PATCH', `/jobs/${id}`, { priority: 1 })).json).toMatchObject({
    question: { state: 'open' },
  });
  const edited = await service.api('PATCH', `/jobs/${id}`, { prompt: 'drill: ask Second?' });
  expect(edited.json).toMatchObject({ question: { id: first, state: 'withdrawn' }, resume_from: null });
  expect((await answerTo(id, first, 'late')).status).toBe(400);
  await waitFor(async () => (await read(id)).question.id !== first);
  await untilParked(id);
  expect((await service.api('POST', `/jobs/${id}/cancel`)).json).toMatchObject({
    status: 'CANCELLED',
    question: { state: 'withdrawn' },
  });
  expect((await needing()).items).toEqual([]);
  expect((await service.api('POST', `/jobs/${id}/retry`)).status).toBe(200);
  await waitFor(async () => (await read(id)).question.state === 'open');
  const texts = (await questionsOf(id)).map(({ question, state }: { question: string; state: string }) => [
    question,
    state,
  ]);
  expect(texts).toEqual([
    ['Second?', 'open'],
    ['Second?', 'withdrawn'],
    ['First?', 'withdrawn'],
  ]);
  await service.api('POST', `/jobs/${id}/cancel`);
  await untilEnded(service, id);
});
