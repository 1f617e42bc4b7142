import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { tool } from '../../../worker-container/tools/tool.ts';
import type { ToolServer } from '../../../worker-container/tools/tool-server.ts';
import { describeAsRoot } from '../service-accounts/as-root.ts';
import { callTool, serveTools } from './served-tools.ts';

const hello = tool({ name: 'hello', description: 'Greets.', input: z.object({}), call: async () => 'Hello.' });

/**
 * Opens more connections of this process than the server keeps, which send nothing.
 * @param closed how many of them, from the first on, to see closed: that may be before the last is open
 */
async function occupy({ url }: Pick<ToolServer, 'url'>, { closed = 0 } = {}): Promise<void> {
  const sockets = Array.from({ length: 150 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  for (const socket of sockets) socket.on('error', () => undefined);
  const ends = sockets.map((socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve())));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  await Promise.all(ends.slice(0, closed));
}

test('connections without the key keep out no caller that has it', async () => {
  const server = await serveTools([hello]);
  await occupy(server);
  expect(await callTool(server, 'hello')).toEqual({ text: 'Hello.', isError: false });
});

test('a connection that is in use is not closed for others', async () => {
  const called = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<string>();
  const slow = tool({
    ...{ name: 'slow', description: 'Waits.', input: z.object({}) },
    call: async () => {
      called.resolve();
      return await goOn.promise;
    },
  });
  const server = await serveTools([slow, hello]);
  const call = callTool(server, 'slow');
  await called.promise;
  await occupy(server);
  await callTool(server, 'hello');
  goOn.resolve('Done.');
  expect(await call).toEqual({ text: 'Done.', isError: false });
});

/** A connection of this process. */
async function open({ url }: Pick<ToolServer, 'url'>): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** What a connection answers to a request without the key. */
async function answerOf(socket: Socket, { url }: Pick<ToolServer, 'url'>): Promise<string> {
  socket.write(`GET /mcp HTTP/1.1\r\nhost: ${new URL(url).host}\r\nconnection: close\r\n\r\n`);
  return await text(socket);
}

test('where jobs run as the same user, the oldest connection is closed, and no other', async () => {
  const server = await serveTools([hello]);
  const oldest = await open(server);
  const closed = once(oldest.resume(), 'close');
  const others: Socket[] = [];
  for (let count = 0; count < 100; count += 1) others.push(await open(server));
  await closed;
  expect(await answerOf(others[0] as Socket, server)).toMatch(/^HTTP\/1.1 401/);
});

describeAsRoot('connections of other users', () => {
  test('are closed first', async () => {
    const uid = 1_234_567;
    const server = await serveTools([hello], { uid });
    const { host, port } = new URL(server.url);
    const request = `POST /mcp HTTP/1.1\\r\\nhost: ${host}\\r\\ncontent-length: 0\\r\\n\\r\\n`;
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected && read && printf '${request}' >&3 && head -1 <&3`;
    const agent = spawn('/bin/bash', ['-c', script], { uid, gid: uid, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void agent.kill('SIGKILL'));
    const answer = text(agent.stdout);
    await once(agent.stdout, 'readable');
    await occupy(server, { closed: 50 });
    agent.stdin.end('\n');
    expect(await answer).toMatch(/^connected\nHTTP\/1.1 401/);
  });
});
