import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditLog } from '../../../lib/access/audit-log.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { answerQuestion, askQuestion, listQuestions } from '../../../lib/jobs/questions/questions.ts';
import { newBotToken, startTelegram } from '../../../lib/local/stand-ins/telegram/telegram.ts';
import { signButton } from '../../../lib/subscriptions/answers/button-data.ts';
import type { Notice } from '../../../lib/subscriptions/notice/notice.ts';
import { SentMessageStore } from '../../../lib/subscriptions/store/sent-messages.ts';
import { receiveUpdate } from '../../../lib/subscriptions/telegram/receive-update.ts';
import { sendNotice } from '../../../lib/subscriptions/telegram/send-telegram.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aRunningJob } from '../jobs/a-job.ts';

const JOB = 'job_00000000000000000000000001';
const QUESTION = 'q_0123456789ab';
const [ADA, BOB, GROUP] = [1001, 1002, -4001];
const OPTIONS = ['red', '<b>blue</b> & @everyone'];

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Answer = any;

let telegram: Awaited<ReturnType<typeof startTelegram>>;
let deployment: QuietDeployment;
let messages: SentMessageStore;
let audit: AuditLog;

beforeEach(async () => {
  telegram = await startTelegram({ key: 'key', botToken: newBotToken() });
  deployment = quietDeployment();
  messages = new SentMessageStore({ ...deployment.registry, clock: deployment.clock });
  audit = new AuditLog({ ...deployment.registry, clock: deployment.clock, log: { error: expect.fail } });
  const job = await deployment.store(aRunningJob({ id: JOB }));
  await askQuestion(deployment, job, { id: QUESTION, question: 'Which color?', options: OPTIONS });
});
afterEach(async () => await telegram.close());

const people = async (method: string, path: string, body?: object): Promise<Answer> =>
  await (await fetch(`${telegram.page}${path}`, { method, ...(body && { body: JSON.stringify(body) }) })).json();
const state = async () => await people('GET', 'state');
const read = async () => (await deployment.read({ id: JOB })) as Job;
const question = async () => (await listQuestions(deployment.texts.questions, await read()))[0];

const asking = (options: readonly string[] = OPTIONS): Notice => ({
  ...{ key: `question:${QUESTION}`, settles: false, thread: JOB, mark: 'asks', why: null },
  title: 'Question: Paint <the> door',
  question: { job_id: JOB, id: QUESTION, text: 'Which color?\n_a_ & <b>', options },
  facts: ['Project house & home', '$0.12'],
  link: `https://promptq.example.com/jobs/${JOB}`,
});
const settled = { ...asking(), title: 'Answered: Paint', why: 'Which color? “red”', settles: true, question: null };

const place = (chat = GROUP) => ({
  ...{ api: telegram.api, token: telegram.botToken, chat: String(chat), subscriptionId: 'sub#1', answerable: true },
});
const send = async (notice: Notice, chat?: number) => await sendNotice(messages, place(chat), notice);

/** Handles the updates that wait. They are not confirmed, so they come again. @returns how many */
async function receive(): Promise<number> {
  const answer = await fetch(`${telegram.api}/bot${telegram.botToken}/getUpdates`, { method: 'POST' });
  const { result } = (await answer.json()) as { result: { update_id: number }[] };
  const subscription = {
    id: 'sub',
    place: 'sub#1',
    chat: String(GROUP),
    tokens: [telegram.botToken],
    answersFrom: [String(ADA)],
  };
  const other = { ...subscription, place: 'sub#2', chat: String(ADA) };
  const context = { ...deployment, audit, messages, api: telegram.api };
  for (const update of result) await receiveUpdate(context, telegram.botToken, [other, subscription], update);
  return result.length;
}

const press = async (data: string, person = ADA, message = 1) =>
  await people('POST', 'press', { chat: GROUP, person, message, data });
const button = async (option: number) => (await state()).messages[0].reply_markup.inline_keyboard[option][0];

test('a question is a message with a button for each option, in which foreign text is text', async () => {
  expect(await send(asking())).toEqual({ outcome: 'sent' });
  const [{ text, entities, reply_markup }] = (await state()).messages;
  expect(text).toBe(
    `Question: Paint <the> door\n\nWhich color?\n_a_ & <b>\n\nProject house & home · $0.12\nhttps://promptq.example.com/jobs/${JOB}`,
  );
  expect(entities).toEqual([{ type: 'bold', offset: 0, length: 26 }]);
  expect(reply_markup.inline_keyboard.map(([key]: Answer[]) => key.text)).toEqual(OPTIONS);
});

test('a press answers the question once, and what became of it takes the place of the buttons', async () => {
  await send(asking());
  await press((await button(0)).callback_data);
  await receive();
  expect(await question()).toMatchObject({ state: 'answered', answer: 'red', answered_by: `telegram:${ADA}` });
  const { version } = await read();
  await receive();
  await press((await button(1)).callback_data);
  await receive();
  expect(await read()).toMatchObject({ version });
  const toasts = (await state()).toasts.map(({ text, alert }: { text: string; alert: boolean }) => ({ text, alert }));
  expect(toasts).toEqual([
    { text: 'Your answer: red', alert: false },
    { text: `Already answered by telegram:${ADA}: red`, alert: true },
  ]);
  expect(await send(settled)).toEqual({ outcome: 'sent' });
  expect(await send(settled)).toEqual({ outcome: 'sent' });
  const [message, ...more] = (await state()).messages;
  expect(more).toEqual([]);
  expect(message).not.toHaveProperty('reply_markup');
  expect(message.text).toContain('Answered: Paint\nWhich color? “red”');
  expect((await audit.list({ limit: 9 })).items.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

test('a press by another person is answered to that person and audited', async () => {
  await send(asking());
  await press((await button(0)).callback_data, BOB);
  await receive();
  expect(await question()).toMatchObject({ state: 'open' });
  expect(await state()).toMatchObject({
    toasts: [{ person: BOB, text: expect.stringContaining('not among'), alert: true }],
  });
  expect((await audit.list({ limit: 9 })).items).toMatchObject([{ actor: `telegram:${BOB}`, status: 403 }]);
});

test('a forged button changes nothing', async () => {
  await send(asking());
  const { callback_data: real } = await button(0);
  const ofPlace = (change: object) =>
    signButton(
      { jobId: JOB, questionId: QUESTION, option: 0 },
      { secret: telegram.botToken, subscriptionId: 'sub#1', chat: String(GROUP), ...change },
    );
  const forged = [
    ...['', 'x', real.slice(0, -1), `${real.slice(0, -1)}${real.endsWith('A') ? 'B' : 'A'}`],
    ...[ofPlace({ chat: String(ADA) }), ofPlace({ subscriptionId: 'sub#2' }), ofPlace({ secret: 'another' })],
  ];
  for (const data of forged) await press(data);
  expect(await receive()).toBe(forged.length);
  expect(await question()).toMatchObject({ state: 'open' });
  expect((await state()).toasts.map(({ text }: { text: string }) => text)).toEqual(
    forged.map(() => 'This button is not valid.'),
  );
});

test('a reply answers a question, and what becomes of it is said in reply', async () => {
  await send(asking([]));
  expect((await state()).asks).toEqual([1]);
  await people('POST', 'write', { chat: GROUP, person: BOB, text: 'green', reply_to: 1 });
  await people('POST', 'write', { chat: GROUP, person: ADA, text: 'blue, please', reply_to: 1 });
  await receive();
  await receive();
  expect(await question()).toMatchObject({ answer: 'blue, please', answered_by: `telegram:${ADA}` });
  await send(settled);
  const [, , , refusal, result, ...more] = (await state()).messages;
  expect(more).toEqual([]);
  expect(refusal).toMatchObject({ text: expect.stringContaining('not among'), reply_to_message: { text: 'green' } });
  expect(result).toMatchObject({ text: expect.stringContaining('Answered'), reply_to_message: { message_id: 1 } });
});

test('a question that was answered elsewhere asks no longer', async () => {
  await send(asking());
  await answerQuestion(deployment, await read(), { questionId: QUESTION, answer: 'green', by: 'token:x' });
  await send(settled);
  const [message] = (await state()).messages;
  expect(message).not.toHaveProperty('reply_markup');
  // One that was never sent is settled without a message.
  await sendNotice(messages, { ...place(), subscriptionId: 'sub#3' }, settled);
  expect((await state()).messages).toHaveLength(1);
});

test('where no one may answer, the options are text', async () => {
  await sendNotice(messages, { ...place(), answerable: false }, asking());
  const [message] = (await state()).messages;
  expect(message).not.toHaveProperty('reply_markup');
  expect(message.text).toContain('1. red\n2. <b>blue</b> & @\u2060everyone');
});

test.for([
  { fault: { status: 429, retry_after: 7 }, outcome: 'retry', after: 7, why: 'Too Many Requests' },
  { fault: { status: 502 }, outcome: 'retry', why: '502: Bad Gateway' },
  { fault: { answer: 'lost' }, outcome: 'retry', why: 'The connection failed' },
  { fault: { status: 401 }, outcome: 'gone', why: 'The token of the bot is not valid' },
  { fault: { status: 400, description: 'Bad Request: chat not found' }, outcome: 'gone', why: 'Check chat_id' },
])('$fault is $outcome', async ({ fault, outcome, after, why }) => {
  await people('PUT', 'faults', [fault]);
  const sent = await send(asking());
  expect(sent).toMatchObject({ outcome, why: expect.stringContaining(why), ...(after && { after }) });
  expect(JSON.stringify(sent)).not.toContain(telegram.botToken);
});

test('a bot that is blocked is gone until a person lets it write', async () => {
  await people('PUT', 'blocked', { chat: ADA, blocked: true });
  expect(await send(asking(), ADA)).toEqual({
    outcome: 'gone',
    why: 'Telegram answered 403: Forbidden: bot was blocked by the user. Let the bot write to the chat again.',
  });
});
