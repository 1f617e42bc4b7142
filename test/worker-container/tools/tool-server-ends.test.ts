import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { tool } from '../../../worker-container/tools/tool.ts';
import { request, serveTools } from './served-tools.ts';

const hello = tool({ name: 'hello', description: 'Greets.', input: z.object({}), call: async () => 'Hello.' });
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('a request that fails is answered and logged', async () => {
  // Two tools of one name cannot be served.
  const server = await serveTools([hello, hello]);
  const answer = await request(server, LIST);
  expect([answer.status, await answer.json()]).toEqual([500, { error: 'it failed' }]);
  expect(server.logged).toEqual(['a request to the tools of an attempt failed']);
});

test('a call that its agent gives up is ended', async () => {
  const began = Promise.withResolvers<AbortSignal>();
  const slow = tool({
    ...{ name: 'slow', description: 'Waits.', input: z.object({}) },
    call: async (_input, signal) => {
      began.resolve(signal);
      await once(signal, 'abort');
      return 'over';
    },
  });
  const { url, key } = await serveTools([slow]);
  const gone = new AbortController();
  const headers = {
    ...{ accept: 'application/json, text/event-stream', authorization: `Bearer ${key}` },
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ ...LIST, method: 'tools/call', params: { name: 'slow', arguments: {} } });
  const call = fetch(url, { method: 'POST', headers, body, signal: gone.signal }).catch((error: Error) => error.name);
  const signal = await began.promise;
  gone.abort();
  expect(await call).toBe('AbortError');
  if (!signal.aborted) await once(signal, 'abort');
});

test('no call begins once the tools are closed', async () => {
  const called = vi.fn();
  const closing = tool({
    ...{ name: 'closing', description: 'Closes.', input: z.object({}) },
    call: async () => {
      called('closing');
      void server.close();
      return 'closed';
    },
  });
  const other = tool({
    ...{ name: 'other', description: 'Is called.', input: z.object({}) },
    call: async () => {
      called('other');
      return 'called';
    },
  });
  const server = await serveTools([closing, other]);
  const calls = ['closing', 'other'].map((name, id) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name, arguments: {} },
  }));
  await request(server, calls, { 'mcp-protocol-version': '2025-03-26' }).catch(() => undefined);
  expect(called.mock.calls).toEqual([['closing']]);
});

test('closing ends connections that have sent nothing', async () => {
  const server = await serveTools([hello]);
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.resume();
  const ended = once(socket, 'close');
  await server.close();
  await ended;
});

test('a request of another type is refused before its body is read', async () => {
  const server = await serveTools([hello]);
  const answer = await request(server, LIST, { 'content-type': 'text/plain; application/json' });
  expect([answer.status, await answer.json()]).toEqual([415, { error: 'send application/json' }]);
});
