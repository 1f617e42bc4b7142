import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a route answers: the body of a 200, or a status with a body. */
type Answer = object | readonly [number, object];

type Answering = (query: Readonly<Record<string, string>>) => Answer;

/** Stands in for the service on a loopback port: answers by `GET /path`, and keeps what was asked. */
export async function startStandIn() {
  const state: { answers: Record<string, Answer | Answering>; asked: unknown[] } = { answers: {}, asked: [] };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://x');
    const route = `${request.method} ${url.pathname.slice('/api/v1'.length)}`;
    const body = await text(request);
    const query = Object.fromEntries(url.searchParams);
    state.asked.push([route, ...(url.search === '' ? [] : [query]), ...(body === '' ? [] : [JSON.parse(body)])]);
    const known = state.answers[route] ?? [404, { error: 'not_found', request_id: 'r' }];
    const answer = typeof known === 'function' ? known(query) : known;
    const [status, value] = Array.isArray(answer) ? answer : [200, answer];
    const again = status === 503 && { 'retry-after': '0' };
    response.writeHead(status, { 'content-type': 'application/json', ...again }).end(JSON.stringify(value));
  };
  const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(state, {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
