import { once } from 'node:events';
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RefusingProxy {
  /** First lines of what was asked for. */
  readonly asked: readonly string[];
  readonly firstAsked: Promise<unknown>;
  /** Sends all but loopback through it. */
  readonly env: Readonly<Record<string, string>>;
}

/** A proxy that writes down what is asked of it and lets nothing through. */
export async function startRefusingProxy(): Promise<RefusingProxy> {
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
