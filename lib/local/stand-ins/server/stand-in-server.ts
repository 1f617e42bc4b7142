import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { hasForeignHost, hasForeignOrigin } from '../../run-access/foreign-callers.ts';

/*
 * What the stand-ins of messengers share: a server on loopback with two sides. One is the messenger's interface, at the
 * paths that it has there. The other, below a random path that only the user of the run gets, is for people: the page
 * on which they read and answer, and the failures that they ask for.
 *
 *   GET  /KEY/          the page
 *   GET  /KEY/faults    the failures that are left
 *   PUT  /KEY/faults    replaces them
 */

/** A request to a stand-in. */
export interface StandInCall {
  readonly method: string;
  /** Below the key, for the side of people. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Aborted when the caller has gone, or the stand-in closes. */
  readonly signal: AbortSignal;
}

export interface StandInReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body: string | object;
}

/** A failure that a person asks for. */
const faultSchema = z.strictObject({
  /** The name of the call, such as `sendMessage`; absent: any. */
  call: z.string().min(1).optional(),
  /** How many calls it meets. */
  times: z.int().min(1).max(10_000).default(1),
  /** Refused with this status, before anything is done; absent: it is done. */
  status: z.int().min(400).max(599).optional(),
  /** Seconds, for a status of 429. */
  retry_after: z.int().min(0).max(86_400).optional(),
  /** The messenger's words, instead of its usual ones for the status. */
  description: z.string().min(1).optional(),
  /** `lost`: the connection breaks before it is sent. `never`: nothing is sent until the caller gives up. */
  answer: z.enum(['lost', 'never']).optional(),
});
export type Fault = z.output<typeof faultSchema>;

interface StandInOptions {
  /** The path segment of the side of people. */
  readonly key: string;
  /** The messenger's interface. */
  readonly answer: (call: StandInCall) => Promise<StandInReply>;
  /** The name of a call, by which failures are asked for. */
  readonly nameOf: (call: StandInCall) => string;
  /** How the messenger refuses a call. */
  readonly refusal: (fault: Fault & { readonly status: number }) => StandInReply;
  /** The side of people, by method and path such as `GET /`. */
  readonly people: Readonly<Record<string, (call: StandInCall) => Promise<StandInReply> | StandInReply>>;
}

/** A running stand-in. */
export interface StandInServer {
  /** The base address of the messenger's interface, such as `http://127.0.0.1:40123`. */
  readonly api: string;
  /** The page for people; ends in `/`. */
  readonly page: string;
  /** Closes every connection, waiting ones too. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1024 * 1024;

/** Starts a stand-in on any free port of loopback. It answers neither other host names nor pages of other origins. */
export async function openStandIn(options: StandInOptions): Promise<StandInServer> {
  const faults = new Faults();
  const closing = new AbortController();
  const server = createServer((request, response) => {
    serve(request, response, { ...options, faults, closing: closing.signal }).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, { status: error instanceof BadCall ? 400 : 500, body: { error: String(error) } });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}`;
  return {
    api,
    page: `${api}/${options.key}/`,
    close: async () => {
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A request of the side of people that can't be read. */
export class BadCall extends Error {
  override readonly name = 'BadCall';
}

/** The JSON body of a request of the side of people. @throws BadCall */
export function bodyOf<T>(schema: z.ZodType<T>, { body }: Pick<StandInCall, 'body'>): T {
  let given: unknown;
  try {
    given = JSON.parse(body.toString());
  } catch (error) {
    throw new BadCall(`the body is not JSON: ${(error as Error).message}`);
  }
  const parsed = schema.safeParse(given);
  if (!parsed.success) throw new BadCall(z.prettifyError(parsed.error));
  return parsed.data;
}

interface Serving extends StandInOptions {
  readonly faults: Faults;
  readonly closing: AbortSignal;
}

async function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  if (hasForeignHost(request) || hasForeignOrigin(request)) return send(response, FOREIGN);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const url = new URL(request.url ?? '/', 'http://stand-in');
  const body = await buffer(request);
  if (body.length > MAX_BODY_BYTES) return send(response, { status: 413, body: { error: 'the body is too large' } });
  const call = {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body,
    signal: AbortSignal.any([gone.signal, serving.closing]),
  };
  const below = `/${serving.key}/`;
  if (call.path.startsWith(below))
    return send(response, await servePeople({ ...call, path: call.path.slice(below.length - 1) }, serving));
  // A page of this origin is the one of the other side.
  if (request.headers.origin !== undefined) return send(response, FOREIGN);
  await serveApi(call, response, serving);
}

async function serveApi(call: StandInCall, response: ServerResponse, serving: Serving): Promise<void> {
  const fault = serving.faults.take(serving.nameOf(call));
  const { status } = fault ?? {};
  const reply = fault && status ? serving.refusal({ ...fault, status }) : await serving.answer(call);
  if (fault?.answer === 'lost') return void response.destroy();
  if (fault?.answer !== 'never') return send(response, reply);
  if (!call.signal.aborted) await once(call.signal, 'abort');
  response.destroy();
}

async function servePeople(call: StandInCall, { faults, people }: Serving): Promise<StandInReply> {
  const route = `${call.method} ${call.path}`;
  if (route === 'GET /faults') return { status: 200, body: faults.left };
  if (route === 'PUT /faults') {
    faults.left = bodyOf(z.array(faultSchema).max(100), call);
    return { status: 200, body: faults.left };
  }
  const handler = people[route];
  return handler === undefined ? { status: 404, body: { error: `no ${route} here` } } : await handler(call);
}

const FOREIGN: StandInReply = {
  status: 403,
  body: { error: 'This is a stand-in of a local run. It answers no other web page, and no other host name.' },
};

/** The failures that were asked for. The first that fits a call meets it. */
class Faults {
  left: Fault[] = [];

  take(call: string): Fault | undefined {
    const found = this.left.find(({ call: named }) => named === undefined || named === call);
    if (found !== undefined)
      this.left = this.left.flatMap((fault) => {
        if (fault !== found) return fault;
        return fault.times > 1 ? { ...fault, times: fault.times - 1 } : [];
      });
    return found;
  }
}

function send(response: ServerResponse, { status, headers, body }: StandInReply): void {
  if (response.destroyed) return;
  const isText = typeof body === 'string';
  response.writeHead(status, {
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(isText ? body : JSON.stringify(body));
}
