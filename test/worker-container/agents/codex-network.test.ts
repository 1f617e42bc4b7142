import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startPracticeVendor } from '../../../lib/local/practice-vendor/practice-vendor.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { runAgent, startAgent } from './run-agent.ts';

test('with a vendor of its own codex connects to nobody else', async () => {
  const proxy = await startProxy();
  const vendor = await startPracticeVendor();
  onTestFinished(() => vendor.close());
  const end = await runAgent(codex, { vendor, prompt: 'hello', env: proxy.env });
  expect(end.exitCode).toBe(0);
  expect(proxy.asked).toEqual([]);
});

test("without one it connects to codex's own vendor and to nobody else", async () => {
  const proxy = await startProxy();
  const run = await startAgent(codex, { prompt: 'hello', env: proxy.env });
  await proxy.firstAsked;
  run.child.kill('SIGKILL');
  await run.ended;
  for (const asked of proxy.asked) expect(asked).toMatch(/^CONNECT (api\.openai\.com|chatgpt\.com):443 /);
});

interface Proxy {
  /** First lines of what was asked for. */
  readonly asked: readonly string[];
  readonly firstAsked: Promise<unknown>;
  /** Sends all but loopback through it. */
  readonly env: Readonly<Record<string, string>>;
}

/** A proxy that writes down what is asked of it and lets nothing through. */
async function startProxy(): Promise<Proxy> {
  const asked: string[] = [];
  const firstAsked = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (data) => {
      asked.push(data.toString().split('\r\n')[0] ?? '');
      firstAsked.resolve();
      socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const env = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: '127.0.0.1' };
  return { asked, firstAsked: firstAsked.promise, env };
}
