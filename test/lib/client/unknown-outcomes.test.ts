import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import type { ActionName } from '../../../lib/client/act.ts';
import { UnreachableError } from '../../../lib/client/errors.ts';
import { Promptq } from '../../../lib/client/promptq.ts';
import { answerMcp } from '../../../lib/mcp/answer-request.ts';

const ID = 'job_00000000000000000000000001';
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A service that answers as given. @returns its address */
async function serviceThat(answers: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((request, response) => void answers(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Receives requests, and cuts the connection instead of an answer. */
const loses = async (request: IncomingMessage) => {
  await text(request);
  request.socket.destroy();
};
const answersWith = (status: number) => async (request: IncomingMessage, response: ServerResponse) => {
  await text(request);
  response.writeHead(status, { 'retry-after': '0' }).end();
};

const clientOf = (baseUrl: string) => new Promptq({ baseUrl, token: 't', retrySeconds: 0 });
const failureOf = async (call: Promise<unknown>) => await call.then(() => undefined).catch((error: Error) => error);

test.each([
  ['loses its answer', loses],
  ['is behind a gateway that gave up', answersWith(504)],
])('a creation or message whose service %s names the key that makes another try safe', async (_, answers) => {
  const client = clientOf(await serviceThat(answers));
  const created = await failureOf(client.create({ prompt: 'x', idempotency_key: 'mine' }));
  expect(created).toBeInstanceOf(UnreachableError);
  expect(created?.message).toContain('it is unknown whether the job was created');
  expect(created?.message).toContain('the idempotency key mine');
  const withoutKey = await failureOf(client.create({ prompt: 'x' }));
  expect(withoutKey?.message).toMatch(/the idempotency key [0-9a-f-]{36} does not repeat it/);
  const said = await failureOf(client.say(ID, { text: 'x', idempotency_key: 'mine' }));
  expect(said?.message).toContain('it is unknown whether the message was sent');
});

test('a run that its signal ends while the job is created says so, and nothing was sent after it', async () => {
  const requests: string[] = [];
  const over = new AbortController();
  const url = await serviceThat(async (request) => {
    requests.push(await text(request));
    over.abort(new Error('enough'));
  });
  const client = new Promptq({ baseUrl: url, token: 't' });
  const failure = await failureOf(client.run({ prompt: 'x', idempotency_key: 'mine' }, { signal: over.signal }));
  expect(failure?.message).toMatch(/it is unknown whether the job was created; .* key mine /);
  const late = await failureOf(client.run({ prompt: 'x' }, { signal: over.signal }));
  expect([late?.message, requests.length]).toEqual(['enough', 1]);
});

test('a creation that certainly had no effect is not said to be unknown', async () => {
  const refused = await failureOf(clientOf(await serviceThat(answersWith(429))).create({ prompt: 'x' }));
  expect(refused?.message).toBe('the service answered 429');
  const url = await serviceThat(loses);
  for (const close of closing.splice(0)) close();
  const notSent = await failureOf(clientOf(url).create({ prompt: 'x' }));
  expect(notSent?.message).toContain('did not answer');
  expect(notSent?.message).not.toContain('unknown');
});

test.each([
  ['submit', 'submitted'],
  ['cancel', 'cancelled'],
  ['kill', 'killed'],
  ['retry', 'retried'],
] as const)(
  '%s says that its outcome is unknown if the service stays away after a lost answer',
  async (action, done) => {
    const calls: string[] = [];
    const url = await serviceThat(async (request, response) => {
      calls.push(request.method ?? '');
      // Only `retry` reads the job before.
      if (request.method === 'GET' && calls.length === 1) response.end(JSON.stringify({ id: ID, queued_at: null }));
      else await loses(request);
    });
    const client = new Promptq({ baseUrl: url, token: 't', retrySeconds: 0.1 });
    const failure = await failureOf(client.act(action, ID));
    expect(failure).toBeInstanceOf(UnreachableError);
    expect(failure?.message).toContain(`it is unknown whether the job was ${done}; read job ${ID} before`);
    expect(calls).toContain('POST');
  },
);

describe('an action that failed', () => {
  const THREAD_STOPPED = { status: 'QUEUED', state_reason: { code: 'thread_stopped' }, cancel_requested_at: null };
  const CANCELLING = { ...THREAD_STOPPED, status: 'RUNNING', cancel_requested_at: '2026-11-26T10:00:00.000Z' };

  /** Acts on a job that shows the same state at each reading. @returns the number of requests, and the end */
  async function acted(action: ActionName, job: object, statuses: readonly number[]) {
    let posted = 0;
    const baseUrl = await serviceThat(async (request, response) => {
      await text(request);
      const status = request.method === 'POST' ? (statuses[posted++] ?? 500) : 200;
      const body = status === 200 ? { id: ID, ...job } : { error: 'no' };
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(JSON.stringify(body));
    });
    const client = new Promptq({ baseUrl, token: 't', retrySeconds: 30 });
    const end = await client.act(action, ID).then(
      () => 'done',
      (error: Error) => `${error.name}: ${error.message}`,
    );
    return [posted, end];
  }

  test('is repeated while the job shows the state of before it', async () => {
    expect(await acted('submit', THREAD_STOPPED, [503, 200])).toEqual([2, 'done']);
    expect(await acted('kill', CANCELLING, [503, 200])).toEqual([2, 'done']);
  });

  test('is repeated if it certainly had no effect, whatever the job shows', async () => {
    expect(await acted('submit', CANCELLING, [429, 400])).toEqual([2, 'RequestError: no']);
    expect(await acted('cancel', CANCELLING, [429, 429, 200])).toEqual([3, 'done']);
  });
});

test('answer_question of MCP answers once, and judges a lost response by the question', async () => {
  const answers: string[] = [];
  const question = { id: 'q_1', state: 'open', answer: null as string | null };
  const baseUrl = await serviceThat(async (request, response) => {
    const body = await text(request);
    if (request.method === 'POST') {
      answers.push(body);
      Object.assign(question, { state: 'answered', answer: JSON.parse(body).answer });
      return request.socket.destroy();
    }
    const job = { id: ID, status: 'QUEUED', state_reason: { code: 'waiting_for_worker', message: '' } };
    const found = request.url?.endsWith('/questions') ? { items: [question] } : job;
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
  });
  const failures: string[] = [];
  const onFailure = (of: string) => void failures.push(of);
  const params = { name: 'answer_question', arguments: { id: ID, question_id: 'q_1', answer: 'blue' } };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const caller = { version: '0', baseUrl, token: 't', may: () => true, onFailure };
  const { body: answer } = await answerMcp({ body, headers: {} }, caller);
  expect(answer).toMatchObject({ result: { isError: false, structuredContent: { id: ID, status: 'QUEUED' } } });
  expect([answers.length, failures]).toEqual([1, []]);
});

describe('an answer whose response was lost, after the agent got it', () => {
  const TEXT = 'log in with hunter2 as ada';

  /** @returns the status of the job, or why the call failed */
  async function answered(question: { readonly answer: string; readonly answered_by: string }) {
    let posted = 0;
    const baseUrl = await serviceThat(async (request, response) => {
      await text(request);
      const json = { 'content-type': 'application/json' };
      if (request.method === 'POST') {
        posted += 1;
        if (posted === 1) return request.socket.destroy();
        return response.writeHead(400, json).end(JSON.stringify({ error: 'question q_1 is answered' }));
      }
      const found = request.url?.endsWith('/session')
        ? { kind: 'token', name: 'token:mine' }
        : request.url?.endsWith('/questions')
          ? { items: [{ id: 'q_1', state: 'answered', ...question }] }
          : { id: ID, status: 'QUEUED' };
      return response.writeHead(200, json).end(JSON.stringify(found));
    });
    const client = new Promptq({ baseUrl, token: 't', retrySeconds: 30 });
    return await client.answer(ID, { question_id: 'q_1', answer: TEXT }).then(
      ({ status }) => status,
      (error: Error) => error.message,
    );
  }

  test.each(['log in with *** as ada', '***', '*** with *** as ***'])('is known by %s', async (answer) => {
    expect(await answered({ answer, answered_by: 'token:mine' })).toBe('QUEUED');
  });

  test.each([
    ['another text', 'log in with *** as eve', 'token:mine'],
    ['a part of it', 'log in *** in *** with hunter2 as ada', 'token:mine'],
    ['the text of another caller', '***', 'user:eve@example.com'],
  ])('is not taken for %s', async (_, answer, answered_by) => {
    expect(await answered({ answer, answered_by })).toContain('question q_1 is answered');
  });
});
