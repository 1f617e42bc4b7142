import type { Readable, Writable } from 'node:stream';
import middy from '@middy/core';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import { type Gateway, type GatewayLimits, startGateway } from '../../../../lib/local/gateway/gateway.ts';

/** The runtime's global; the gateway provides it. */
declare const awslambda: { streamifyResponse(handler: (event: unknown, out: Writable) => Promise<unknown>): object };

let gateway: Gateway | undefined;
/** What the gateway has logged since the last `closeGateway`. */
export const logged: string[] = [];

/** A gateway with one streaming route, for GET and POST; its handler is created when the function is loaded, as a module's is. */
export async function serving(makeHandler: () => object, limits: Partial<GatewayLimits> = {}): Promise<string> {
  gateway = await startGateway({
    port: 0,
    routes: (['GET', 'POST'] as const).map((method) => ({
      id: 'logs.read',
      method,
      path: '/logs',
      mode: 'stream',
      auth: { kind: 'principal', scope: 'read' },
    })),
    load: async () => ({ handler: makeHandler() }),
    log: (line) => logged.push(line),
    limits,
  });
  return `${gateway.url}/api/v1/logs`;
}

/** As our routes do it: middy in its streaming mode. */
export function answering(body: () => string | Readable, head: object = {}): () => object {
  return () =>
    middy({ executionMode: executionModeStreamifyResponse }).handler(async () => ({
      statusCode: 200,
      ...head,
      body: body(),
    }));
}

/** A handler that writes to the stream directly. */
export function writing(write: (out: Writable) => Promise<unknown>): () => object {
  return () => awslambda.streamifyResponse(async (_event, out) => await write(out));
}

export async function closeGateway(): Promise<void> {
  await gateway?.close();
  logged.length = 0;
}
