import { once } from 'node:events';
import { connect } from 'node:net';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { type Gateway, type GatewayOptions, startGateway } from '../../../../lib/local/gateway/gateway.ts';
import type { GatewayRoute } from '../../../../lib/local/gateway/gateway-resources.ts';

const ROUTES: readonly GatewayRoute[] = [
  {
    id: 'things.read',
    method: 'GET',
    path: '/things/{id}',
    mode: 'buffered',
    auth: { kind: 'principal', scope: 'read' },
  },
  {
    id: 'things.patch',
    method: 'PATCH',
    path: '/things/{id}',
    mode: 'buffered',
    auth: { kind: 'principal', scope: 'read' },
  },
  {
    id: 'things.search',
    method: 'GET',
    path: '/things/search',
    mode: 'buffered',
    auth: { kind: 'principal', scope: 'read' },
  },
  {
    id: 'things.create',
    method: 'POST',
    path: '/things',
    mode: 'buffered',
    auth: { kind: 'principal', scope: 'read' },
  },
  {
    id: 'parts.read',
    method: 'GET',
    path: '/things/{id}/parts/{name}',
    mode: 'buffered',
    auth: { kind: 'principal', scope: 'read' },
  },
];

export type Handler = (event: APIGatewayProxyEvent, context: Context) => unknown;

const started: Gateway[] = [];
/** What the gateways have logged since the last `closeGateways`. */
export const logged: string[] = [];

/** A gateway with `ROUTES`; a function without a handler here answers 418 with its id. */
export async function gatewayWith(
  handlers: Record<string, Handler>,
  options: Partial<GatewayOptions> = {},
): Promise<Gateway> {
  const load = async (id: string) => ({ handler: handlers[id] ?? (() => ({ statusCode: 418, body: id })) });
  const gateway = await startGateway({ port: 0, routes: ROUTES, load, log: (line) => logged.push(line), ...options });
  started.push(gateway);
  return gateway;
}

export async function closeGateways(): Promise<void> {
  for (const gateway of started.splice(0)) await gateway.close();
  logged.length = 0;
}

/** Answers with the event it got. */
const echo: Handler = (event) => ({ statusCode: 200, body: JSON.stringify(event) });
/** Handlers that do so, for every route and for the rest. */
export const echoAll = Object.fromEntries([...ROUTES.map(({ id }) => id), 'not-found.answer'].map((id) => [id, echo]));

/** Sends bytes and reads until the other side closes. `body` is sent once anything has come back. */
export async function raw(gateway: Gateway, head: string, body?: string): Promise<string> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.write(head);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => {
    if (chunks.length === 0 && body !== undefined) socket.write(body);
    chunks.push(chunk);
  });
  await once(socket, 'end');
  socket.destroy();
  return Buffer.concat(chunks).toString();
}
