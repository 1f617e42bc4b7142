import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface Answer {
  readonly status?: number;
  /** Sent as JSON, or a string, bytes or a stream as they are. */
  readonly body: unknown;
}

/**
 * A service whose answers a test writes, for what a real one does rarely. It ends with the test.
 * @param answer gets `METHOD /path?query`, with the path after `/api/v1`, and the body
 */
export async function startStandIn(answer: (request: string, body: string) => Answer | Promise<Answer>) {
  const requests: string[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const received = await text(request);
    const asked = `${request.method} ${request.url?.replace('/api/v1', '')}`;
    requests.push(asked);
    const { status = 200, body } = await answer(asked, received);
    const isStream = body instanceof Readable;
    const isBytes = isStream || typeof body === 'string' || Buffer.isBuffer(body);
    const ofBytes = request.headers.accept === 'text/event-stream' ? 'text/event-stream' : 'application/octet-stream';
    response.writeHead(status, { 'content-type': isBytes ? ofBytes : 'application/json' });
    if (isStream) body.pipe(response);
    else response.end(isBytes ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    await once(server.close(), 'close');
  };
  onTestFinished(stop);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { env: { PROMPTQ_URL: url, PROMPTQ_TOKEN: 'pq_test', PROMPTQ_RETRY_SECONDS: '0' }, requests, stop };
}
