import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';

/** A server on loopback for the tests of a file. @returns a function that asks it, with any target and Host header */
export function answeringServer(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    get port() {
      return (server.address() as AddressInfo).port;
    },
    async ask(method: string, path: string, headers: Record<string, string> = {}) {
      const { port } = server.address() as AddressInfo;
      const outgoing = request({ port, host: '127.0.0.1', method, path, headers, agent: false }).end();
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      return { status: incoming.statusCode, headers: incoming.headers, text: await text(incoming) };
    },
  };
}
