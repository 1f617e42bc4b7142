import { beforeEach, expect, test } from 'vitest';
import { AuditLog } from '../../../lib/access/audit-log.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { answerQuestion, askQuestion, listQuestions } from '../../../lib/jobs/questions/questions.ts';
import { answerForPerson } from '../../../lib/subscriptions/answers/answer-for-person.ts';
import { SentMessageStore } from '../../../lib/subscriptions/store/sent-messages.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aRunningJob } from '../jobs/a-job.ts';

const JOB = 'job_00000000000000000000000001';
const QUESTION = 'q_0123456789ab';
const MINUTE_MS = 60_000;

let deployment: QuietDeployment;
let audit: AuditLog;
let requests = 0;

beforeEach(async () => {
  deployment = quietDeployment();
  audit = new AuditLog({ ...deployment.registry, clock: deployment.clock, log: { error: expect.fail } });
  const job = await deployment.store(aRunningJob({ id: JOB }));
  const asked = { id: QUESTION, question: 'Which color?', options: ['red', 'blue'], deadlineSeconds: 60 };
  await askQuestion(deployment, job, asked);
});

type Given = Partial<Parameters<typeof answerForPerson>[1]>;

/** The person 17, who may answer, presses the second button. */
const press = async (given: Given = {}) =>
  await answerForPerson(
    { ...deployment, audit },
    {
      subscription: { id: 'sub_1', answersFrom: ['17', '18'] },
      messenger: 'telegram',
      person: '17',
      ...{ jobId: JOB, questionId: QUESTION, answer: { option: 1 }, requestId: `update-${++requests}` },
      ...given,
    },
  );
const read = async () => (await deployment.read({ id: JOB })) as Job;
const question = async () => (await listQuestions(deployment.texts.questions, await read()))[0];
const audited = async () =>
  (await audit.list({ limit: 10 })).items.map(({ actor, action, target, status }) => ({
    actor,
    action,
    target,
    status,
  }));
const row = (actor: string, status: number) => ({
  ...{ actor, action: 'jobs.answer', status },
  target: { id: JOB, question: QUESTION, subscription: 'sub_1' },
});

test('an answer is recorded with the person, on the question and in the audit log', async () => {
  expect(await press()).toEqual({ kind: 'answered', sentence: 'Your answer: blue' });
  expect(await question()).toMatchObject({ state: 'answered', answer: 'blue', answered_by: 'telegram:17' });
  expect(await audited()).toEqual([row('telegram:17', 200)]);
});

test('the same answer again changes nothing, and another one is too late', async () => {
  await press();
  const { version } = await read();
  expect(await press()).toMatchObject({ kind: 'answered' });
  expect(await audited()).toHaveLength(1);
  const late = { kind: 'too_late', sentence: 'Already answered by telegram:17: blue' };
  expect(await press({ answer: { option: 0 } })).toEqual(late);
  expect(await press({ person: '18' })).toEqual(late);
  expect(await read()).toMatchObject({ version });
  expect((await audited()).map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
});

test('of an answer by the API and one from a chat, the first counts', async () => {
  await answerQuestion(deployment, await read(), { questionId: QUESTION, answer: 'green', by: 'token:x' });
  expect(await press()).toEqual({ kind: 'too_late', sentence: 'Already answered by token:x: green' });
  expect(await question()).toMatchObject({ answer: 'green', answered_by: 'token:x' });
});

test('another person is refused before anything is read', async () => {
  expect(await press({ person: '1' })).toMatchObject({ kind: 'refused' });
  expect(await press({ subscription: { id: 'sub_1', answersFrom: [] } })).toMatchObject({ kind: 'refused' });
  expect(await question()).toMatchObject({ state: 'open', answer: null });
  expect((await audited()).map(({ status }) => status)).toEqual([403, 403]);
});

test.for([
  { what: 'a text of whitespace', answer: { text: ' \n' }, kind: 'unusable', sentence: 'more than whitespace' },
  { what: 'a text that is too long', answer: { text: 'é'.repeat(8_193) }, kind: 'unusable', sentence: '16386 bytes' },
  { what: 'an option that was not offered', answer: { option: 2 }, kind: 'gone', sentence: 'no such answer' },
])('$what is no answer', async ({ answer, kind, sentence }) => {
  expect(await press({ answer })).toEqual({ kind, sentence: expect.stringContaining(sentence) });
  expect(await question()).toMatchObject({ state: 'open' });
});

test('a question that no longer waits says so', async () => {
  await deployment.pass(2 * MINUTE_MS);
  expect(await press()).toMatchObject({ kind: 'too_late' });
  await transition(deployment, await read(), { type: 'expire', id: QUESTION });
  expect(await press()).toEqual({ kind: 'too_late', sentence: 'The deadline of the question has passed.' });
  expect(await press({ questionId: 'q_000000000000' })).toMatchObject({ kind: 'gone' });
  expect(await press({ jobId: 'job_00000000000000000000000002' })).toMatchObject({ kind: 'gone' });
});

test('a sent message is found by its subject or its id, for its own subscription', async () => {
  const messages = new SentMessageStore({ ...deployment.registry, clock: deployment.clock });
  const message = { subscriptionId: 'sub_1', key: `question:${QUESTION}`, job: JOB, chat: '-100', message: '7' };
  await messages.put(message);
  expect(await messages.byMessage('sub_1', '-100', '7')).toEqual(message);
  expect(await messages.byKey('sub_1', `question:${QUESTION}`)).toEqual(message);
  expect(await messages.byMessage('sub_2', '-100', '7')).toBeUndefined();
  expect(await messages.byMessage('sub_1', '-1', '007')).toBeUndefined();
});
