import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { ToolRefusedError, tool } from '../../../worker-container/tools/tool.ts';
import { callTool, request, serveTools } from './served-tools.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

const echo = tool({
  name: 'echo',
  description: 'Repeats.',
  input: z.object({ text: z.string().max(5) }),
  call: async ({ text }) => {
    if (text === 'no') throw new ToolRefusedError('Not this one.');
    if (text === 'fail') throw new Error('at /secret/path');
    return `You said ${text}.`;
  },
});

test('a caller with the key lists and calls the tools', async () => {
  const server = await serveTools([echo]);
  const answer = await request(server, LIST);
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(await answer.json()).toMatchObject({ result: { tools: [{ name: 'echo', description: 'Repeats.' }] } });
  expect(await callTool(server, 'echo', { text: 'hi' })).toEqual({ text: 'You said hi.', isError: false });
  expect(new URL(server.url).hostname).toBe('127.0.0.1');
  expect(Buffer.from(server.key, 'base64url')).toHaveLength(32);
});

test('the agent learns why a call is refused, and of a fault only that there was one', async () => {
  const server = await serveTools([echo]);
  expect(await callTool(server, 'echo', { text: 'no' })).toEqual({ text: 'Not this one.', isError: true });
  const failed = await callTool(server, 'echo', { text: 'fail' });
  expect(failed).toEqual({ text: 'The tool failed. Try again later.', isError: true });
  expect(server.logged).toEqual(['the tool echo failed']);
  expect((await callTool(server, 'echo', { text: 'too long' })).isError).toBe(true);
  expect((await callTool(server, 'other')).isError).toBe(true);
});

test.for([
  { what: 'no key', headers: { authorization: undefined }, status: 401 },
  { what: 'a wrong key', headers: { authorization: 'Bearer wrong' }, status: 401 },
  { what: 'an origin', headers: { origin: 'http://127.0.0.1' }, status: 403 },
  { what: 'another type', headers: { 'content-type': 'text/plain' }, status: 415 },
])('a request with $what is refused', async ({ headers, status }) => {
  const server = await serveTools([echo]);
  expect((await request(server, LIST, headers)).status).toBe(status);
});

test('the key of another attempt is refused', async () => {
  const [server, other] = [await serveTools([echo]), await serveTools([echo])];
  expect((await request({ url: server.url, key: other.key }, LIST)).status).toBe(401);
});

test.for(['localhost', 'evil.example', 'evil.example:80', '[::1]'])('the host name %s is refused', async (host) => {
  const { url, key } = await serveTools([echo]);
  const headers = { host, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = httpRequest(url, { method: 'POST', headers }).end(JSON.stringify(LIST));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(403);
});

test('a request of more than 1 MiB is refused, and one of that size is not', async () => {
  const server = await serveTools([echo]);
  const padded = (bytes: number) => {
    const text = JSON.stringify(LIST);
    return text + ' '.repeat(bytes - text.length);
  };
  expect((await request(server, padded(1024 * 1024))).status).toBe(200);
  expect((await request(server, padded(1024 * 1024 + 1))).status).toBe(413);
});

test('only POST to one path is served', async () => {
  const server = await serveTools([echo]);
  const headers = { authorization: `Bearer ${server.key}` };
  const get = await fetch(server.url, { headers });
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
  expect((await fetch(new URL('/other', server.url), { method: 'POST', headers })).status).toBe(404);
});

test('closing ends a call in progress and the server', async () => {
  const began = Promise.withResolvers<AbortSignal>();
  const slow = tool({
    name: 'slow',
    description: 'Waits.',
    input: z.object({}),
    call: (_input, signal) => {
      began.resolve(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new ToolRefusedError('over'))));
    },
  });
  const server = await serveTools([slow]);
  const call = callTool(server, 'slow').catch((error: Error) => error);
  const signal = await began.promise;
  await server.close();
  expect(signal.aborted).toBe(true);
  expect(await call).toBeInstanceOf(Error);
  await expect(request(server, LIST)).rejects.toThrow('fetch failed');
  await server.close();
});
