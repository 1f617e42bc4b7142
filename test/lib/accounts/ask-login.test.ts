import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { askLogin } from '../../../lib/accounts/ask-login.ts';

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
