import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { makeSignedCall, type Resolve } from '../../../../lib/deployments/calls/signed-call.ts';

const NOW = Date.parse('2026-11-20T10:00:00.500Z');
const SECRETS = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`);

/** What the receiver does with the next call. */
let answer: (response: ServerResponse) => void;
let received: { method: string | undefined; url: string | undefined; headers: object; body: string }[] = [];
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: Buffer.concat(parts).toString() });
    answer(response);
  });
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  received = [];
  vi.useRealTimers();
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const portOf = () => (server.address() as AddressInfo).port;

async function call(url = `http://127.0.0.1:${portOf()}/hook?a=b`, resolve?: Resolve) {
  const made = { url, id: 'msg_1', payload: '{"é":1}', secrets: SECRETS, at: new Date(NOW) };
  return await makeSignedCall(made, { reach: { loopback: true }, ...(resolve && { resolve }) });
}

it('a call is a POST of its payload with the headers of Standard Webhooks, and follows no redirect', async () => {
  answer = (response) => response.writeHead(302, { location: '/elsewhere' }).end();
  expect(await call()).toEqual({ status: 302, retryAfterSeconds: undefined });
  expect(received).toEqual([
    {
      method: 'POST',
      url: '/hook?a=b',
      body: '{"é":1}',
      headers: {
        host: `127.0.0.1:${portOf()}`,
        connection: 'close',
        'content-type': 'application/json',
        'content-length': '8',
        'user-agent': 'promptq',
        'webhook-id': 'msg_1',
        'webhook-timestamp': '1795168800',
        'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/),
      },
    },
  ]);
});

it.each<[retryAfter: string, seconds: number | undefined]>([
  ['0', 0],
  ['999999', 999_999],
  ['12345678', undefined],
  ['1.5 hours', undefined],
  ['soon', undefined],
  ['Fri, 20 Nov 2026 10:00:10 GMT', 10],
  ['Fri, 20 Nov 2026 09:59:00 GMT', 0],
])('a receiver that asks for a pause until %s means %s seconds', async (retryAfter, seconds) => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  answer = (response) => response.writeHead(503, { 'retry-after': retryAfter }).end();
  expect(await call()).toEqual({ status: 503, retryAfterSeconds: seconds });
});

it('a call that is not answered within 15 seconds has failed', async () => {
  const time = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
  answer = () => time.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  expect(await call()).toEqual({ failed: 'There was no answer within 15 seconds.' });
  expect(timeout.mock.calls).toEqual([[15_000]]);
  timeout.mockRestore();
});

it.each<[what: string, addresses: string[], why: string]>([
  ['has no address', [], 'The call failed: localhost has no address'],
  [
    'leads elsewhere too',
    ['127.0.0.1', '10.0.0.1'],
    'The call failed: localhost is at 10.0.0.1, which is not of the public internet',
  ],
])('a call is not made to a name that %s', async (_what, addresses, why) => {
  const resolve: Resolve = (_name, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  expect(await call(`http://localhost:${portOf()}/`, resolve)).toEqual({ failed: why });
  expect(received).toEqual([]);
});
