import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { askLogin } from '../../../lib/accounts/ask-login.ts';
import { createLoginReader } from '../../../lib/accounts/login-reader.ts';

const PROMPT = { login_id: 'login', verification_uri: 'https://v.example/device', user_code: 'ABCD-12345' };

async function listen(answer: RequestListener, host = '127.0.0.1'): Promise<number> {
  const server = createServer(answer);
  await once(server.listen(0, host), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const ask = async (port: number, address = '127.0.0.1') =>
  await askLogin({ login_id: 'login', listener: { address, port, nonce: 'n' } });

it.each<[name: string, answer: RequestListener, reply: object]>([
  ['its code', (_, response) => response.end(JSON.stringify(PROMPT)), { kind: 'prompt', prompt: PROMPT }],
  [
    'no code yet',
    (_, response) => response.end('{"login_id":"login"}'),
    { kind: 'prompt', prompt: { login_id: 'login' } },
  ],
  ['the code of another login', (_, response) => response.end('{"login_id":"other"}'), { kind: 'gone' }],
  ['what is no prompt', (_, response) => response.end('{}'), { kind: 'gone' }],
  ['a refusal', (_, response) => response.writeHead(403).end(JSON.stringify(PROMPT)), { kind: 'gone' }],
  ['no JSON', (_, response) => response.end('?'), { kind: 'silent' }],
  ['another address', (_, response) => response.writeHead(302, { location: '/login?' }).end(), { kind: 'silent' }],
  ['nothing, and closes', (request) => request.socket.destroy(), { kind: 'gone' }],
])('a process of a login that answers %s', async (_name, answer, reply) => {
  const redirected: RequestListener = (request, response) =>
    request.url === '/login' ? answer(request, response) : response.end(JSON.stringify(PROMPT));
  expect(await ask(await listen(redirected))).toEqual(reply);
});

it('is asked at its address with its nonce, for three seconds', async () => {
  const asked: unknown[] = [];
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => timeout.mockRestore());
  const answer: RequestListener = (request, response) => {
    asked.push([request.url, request.headers['x-promptq-nonce'], request.headers.host?.replace(/:\d+$/, '')]);
    response.end(JSON.stringify(PROMPT));
  };
  expect(await ask(await listen(answer))).toMatchObject({ kind: 'prompt' });
  expect(await ask(await listen(answer, '::1'), '::1')).toMatchObject({ kind: 'prompt' });
  expect(asked).toEqual([
    ['/login', 'n', '127.0.0.1'],
    ['/login', 'n', '[::1]'],
  ]);
  expect(timeout.mock.calls).toEqual([[3_000], [3_000]]);
});

it('a process whose port takes no connections is gone', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  expect(await ask(port)).toEqual({ kind: 'gone' });
});

it('where workers can be reached, they are asked directly', () => {
  expect(createLoginReader({})).toBe(askLogin);
});

const REPLY = { kind: 'prompt', prompt: PROMPT };
it.each<[name: string, answer: RequestListener, reply: object, calls: number]>([
  ['its reply', (_, response) => response.end(JSON.stringify(REPLY)), REPLY, 1],
  [
    'its own failure',
    (_, response) => response.writeHead(200, { 'x-amz-function-error': 'Unhandled' }).end(JSON.stringify(REPLY)),
    { kind: 'silent' },
    1,
  ],
  [
    'the refusal of a function that has not run for weeks',
    (_, response) =>
      response
        .writeHead(502, { 'x-amzn-errortype': 'ResourceNotReadyException' })
        .end(JSON.stringify({ Type: 'User', Message: 'The function is inactive' })),
    { kind: 'silent' },
    2,
  ],
])("the function in the workers' network answers with %s", async (_name, answer, reply, calls) => {
  const questions: string[] = [];
  const port = await listen((request, response) => {
    void text(request).then((body) => {
      questions.push(`${request.url} ${body}`);
      answer(request, response);
    });
  });
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'us-east-1');
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', `http://127.0.0.1:${port}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const read = createLoginReader({ LOGIN_READER_FUNCTION: 'promptq-read-login-code' });
  const question = { login_id: 'login', listener: { address: '10.0.0.1', port: 4_000, nonce: 'n' } };
  expect(await read(question)).toEqual(reply);
  const invoked = `/2015-03-31/functions/promptq-read-login-code/invocations ${JSON.stringify(question)}`;
  expect(questions).toEqual(Array.from({ length: calls }, () => invoked));
});
