import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditLog } from '../../../lib/access/audit-log.ts';
import { verifyDelivery } from '../../../lib/automations/hooks/verify-delivery.ts';
import { askQuestion, listQuestions } from '../../../lib/jobs/questions/questions.ts';
import { newSlackSecrets, startSlack } from '../../../lib/local/stand-ins/slack/slack.ts';
import { signButton } from '../../../lib/subscriptions/answers/button-data.ts';
import { slackMessage } from '../../../lib/subscriptions/render/slack-blocks.ts';
import { postToSlack } from '../../../lib/subscriptions/senders/slack.ts';
import { pressInSlack } from '../../../lib/subscriptions/slack/press-in-slack.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aRunningJob } from '../jobs/a-job.ts';

const JOB = 'job_00000000000000000000000001';
const QUESTION = 'q_0123456789ab';
const [ADA, BEN, CAY] = ['U0ADA0001', 'U0BEN0002', 'U0CAY0003'];

let deployment: QuietDeployment;
let audit: AuditLog;
let slack: Awaited<ReturnType<typeof startSlack>>;
/** The app of the workspace: what a function behind its interactivity URL does. */
let app: Server;
let requests = 0;

const now = () => deployment.time.wall;
const subscription = () => ({
  id: 's_1',
  place: 's_1',
  answersFrom: [ADA, BEN].map(String),
  channel: '#alerts',
  botTokens: [slack.botToken],
  signingSecrets: ['replaced', slack.signingSecret],
});
const receive = async (headers: Readonly<Record<string, string | undefined>>, body: Buffer, given = subscription()) =>
  await pressInSlack({ ...deployment, audit, slackApi: `${slack.api}/api` }, given, {
    ...{ headers, body, requestId: `request-${++requests}` },
  });

beforeEach(async () => {
  deployment = quietDeployment();
  audit = new AuditLog({ ...deployment.registry, clock: deployment.clock, log: { error: expect.fail } });
  const job = await deployment.store(aRunningJob({ id: JOB }));
  const asked = { id: QUESTION, question: 'Which color?', options: ['red', 'blue'], deadlineSeconds: 3_600 };
  await askQuestion(deployment, job, asked);
  slack = await startSlack({ key: 'key', secrets: newSlackSecrets(), now });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const outcome = await receive(request.headers as Record<string, string>, await buffer(request)).then(
      () => 200,
      (error: { readonly status?: number }) => error.status ?? 500,
    );
    response.writeHead(outcome).end();
  };
  app = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(app, 'listening');
  const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}/`;
  await people('PUT', 'interactivity', { url });
});
afterEach(async () => {
  app.close();
  await slack.close();
});

const people = async (method: string, path: string, body: object) =>
  await (await fetch(`${slack.page}${path}`, { method, body: JSON.stringify(body) })).json();
const state = async () => (await (await fetch(`${slack.page}state`)).json()) as { messages: object[]; notes: object[] };
const question = async () => {
  const job = await deployment.jobs.get(JOB, { consistent: true });
  if (job === undefined) throw new Error('the job is gone');
  return (await listQuestions(deployment.texts.questions, job))[0];
};
/** Posts the question, with a button for each of its options. */
async function ask(place: { readonly subscriptionId?: string; readonly chat?: string } = {}): Promise<string> {
  const notice = {
    ...({ key: `question:${QUESTION}`, settles: false, mark: 'asks', thread: JOB, title: 'Question: paint' } as const),
    ...{ why: null, facts: [], link: null },
    question: { job_id: JOB, id: QUESTION, text: 'Which color?', options: ['red', 'blue'] },
  };
  const message = slackMessage(notice, (option) =>
    signButton(
      { jobId: JOB, questionId: QUESTION, option },
      { secret: slack.botToken, subscriptionId: 's_1', chat: '#alerts', ...place },
    ),
  );
  const sent = await postToSlack({ api: `${slack.api}/api`, token: slack.botToken }, '#alerts', message);
  return 'ref' in sent ? (sent.ref?.split('/')[1] ?? '') : '';
}
const press = async (ts: string, user: string | undefined, option = 1) =>
  await people('POST', 'press', { ts, user, action_id: `answer-${option}` });

test('a press answers, and the message says so at once, without buttons', async () => {
  const ts = await ask();
  expect(await press(ts, ADA)).toMatchObject({ status: 200 });
  expect(await question()).toMatchObject({ state: 'answered', answer: 'blue', answered_by: `slack:${ADA}` });
  const { messages, notes } = await state();
  expect(messages).toMatchObject([{ ts, edited: true, text: 'Your answer: blue' }]);
  expect(JSON.stringify(messages)).not.toContain('answer-0');
  expect(notes).toEqual([]);
});

test('a press by someone else, or after the answer, tells only that person', async () => {
  const ts = await ask();
  expect(await press(ts, CAY)).toMatchObject({ status: 200 });
  expect(await question()).toMatchObject({ state: 'open' });
  const notYours = { user: CAY, text: 'You are not among those who may answer this question.' };
  expect(await state()).toMatchObject({ messages: [{ ts, edited: false }], notes: [notYours] });
  const again = await ask();
  await press(ts, ADA);
  await press(again, BEN, 0);
  expect(await question()).toMatchObject({ answer: 'blue', answered_by: `slack:${ADA}` });
  expect((await state()).notes).toEqual([notYours, { user: BEN, text: `Already answered by slack:${ADA}: blue` }]);
  const rows = (await audit.list({ limit: 10 })).items.map(({ actor, status }) => [actor, status]);
  expect(rows.toSorted()).toEqual([
    [`slack:${ADA}`, 200],
    [`slack:${BEN}`, 400],
    [`slack:${CAY}`, 403],
  ]);
});

test('forged, old and repeated requests change nothing', async () => {
  const ts = await ask();
  const elsewhere = [await ask({ subscriptionId: 's_2' }), await ask({ chat: '#other' })];
  for (const other of elsewhere) expect(await press(other, ADA)).toMatchObject({ status: 200 });
  expect(await question()).toMatchObject({ state: 'open' });
  const { request } = (await press(ts, ADA, 0)) as {
    request: { headers: Record<string, string>; body: string };
  };
  expect(await question()).toMatchObject({ answer: 'red' });
  const before = JSON.stringify([await question(), await audit.list({ limit: 10 })]);
  const { headers } = request;
  const body = Buffer.from(request.body);
  const signed = (secret: string, time: number, text = request.body) => ({
    'x-slack-request-timestamp': String(time),
    'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${time}:${text}`).digest('hex')}`,
  });
  const at = Math.floor(now() / 1000);
  const other = Buffer.from(request.body.replace('U0ADA', 'U0BEN'));
  for (const [given, bytes] of [
    [headers, other],
    [{}, body],
    [{ ...headers, 'x-slack-signature': `v1${headers['x-slack-signature']?.slice(2)}` }, body],
    [signed('', at), body],
    [signed(slack.signingSecret, at - 301), body],
    [signed(slack.signingSecret, at + 301), body],
    [signed(slack.botToken, at), body],
  ] as const)
    await expect(receive(given, bytes)).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(receive(signed('', at), body, { ...subscription(), signingSecrets: [''] })).rejects.toThrow();
  // The same press again is the same answer. Signed forms that are no press are none of our business.
  await receive(headers, body);
  for (const text of ['ssl_check=1', 'payload=%7B', 'payload=%7B%22type%22%3A%22view_submission%22%7D', ''])
    await receive(signed(slack.signingSecret, at, text), Buffer.from(text));
  expect(JSON.stringify([await question(), await audit.list({ limit: 10 })])).toBe(before);
});

test('no address but those of Slack is called', async () => {
  const ts = await ask();
  const { request } = (await press(ts, CAY)) as { request: { body: string } };
  let calls = 0;
  const trap = createServer((_, response) => {
    calls += 1;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(trap, 'listening');
  const payload = JSON.parse(new URLSearchParams(request.body).get('payload') ?? '') as object;
  const { port } = trap.address() as AddressInfo;
  const text = new URLSearchParams({
    payload: JSON.stringify({ ...payload, response_url: `http://127.0.0.1:${port}/` }),
  }).toString();
  const time = String(Math.floor(now() / 1000));
  const signature = createHmac('sha256', slack.signingSecret).update(`v0:${time}:${text}`).digest('hex');
  await receive({ 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${signature}` }, Buffer.from(text));
  trap.close();
  expect(calls).toBe(0);
});

test("the signature is the one of Slack's own example", () => {
  const body = [
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar',
    'user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=',
    'response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN',
    'trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  ].join('&');
  const headers = {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  };
  const given = { headers, body: Buffer.from(body) };
  const secret = '8f742231b10e8888abcd99yyyzzz85a5';
  expect(verifyDelivery({ style: 'slack' }, secret, given, 1_531_420_618_000)).toBeUndefined();
  expect(verifyDelivery({ style: 'slack' }, '', given, 1_531_420_618_000)).toBe('signature');
});
