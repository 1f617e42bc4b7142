import { randomUUID } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ERRORS } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { consoleFile } from '../../platform/config/console-headers.ts';
import { hasForeignHost } from '../run-access/foreign-callers.ts';
import { admitUnder, hostUnder } from './browser-name.ts';
import type { ConsoleSite } from './console-files.ts';
import { announcedBytes, proxyEvent, readBody, splitTarget } from './gateway-event.ts';
import {
  type FunctionHandler,
  functionLoader,
  lambdaConcurrency,
  lambdaContext,
  TimedOutError,
  withinLimit,
} from './gateway-invocation.ts';
import {
  checkHost,
  type Exchange,
  failRequest,
  rejectForeign,
  rejectMalformed,
  rejectRequest,
  rejectSize,
  rejectTooMany,
} from './gateway-rejections.ts';
import { type GatewayRoute, type Match, resourceMatcher } from './gateway-resources.ts';
import { isStreamingHandler, provideAwsLambdaGlobal, ResponseStream, sendProxyResponse } from './gateway-response.ts';

/** Milliseconds. Longer than clients keep idle connections: a request must not meet a closing one. */
const KEEP_ALIVE_MS = 65_000;
/** How often CloudFront sends a GET whose origin stays silent; it sends other requests once. */
const READ_ATTEMPTS = 3;
/** Milliseconds between checks for requests that did not arrive in time; Node's default. */
const MAX_CHECK_INTERVAL_MS = 30_000;

/** Limits of CloudFront, API Gateway (REST, regional) and Lambda, in bytes and milliseconds. */
const GATEWAY_LIMITS = {
  bodyBytes: 10 * 1024 * 1024,
  /** The whole event as JSON, including the escaped body. */
  eventBytes: 6_291_456,
  /** A buffered function's whole response as JSON. */
  answerBytes: 6_291_556,
  integrationMs: 29_000,
  streamMs: 15 * 60_000,
  streamBytes: 200 * 1024 * 1024,
  /** CloudFront's read timeout, for the first byte and between two. */
  silenceMs: LIMITS.stream.readTimeoutSeconds * 1000,
  /** For the whole request to arrive; Node's default, as API Gateway's limit is not documented. */
  arrivalMs: 300_000,
} as const;
export type GatewayLimits = Readonly<Record<keyof typeof GATEWAY_LIMITS, number>>;

export interface GatewayOptions {
  /** 0: any free one. */
  readonly port: number;
  readonly routes: readonly GatewayRoute[];
  /** Loads the module whose export `handler` serves a route's id, or `CATCH_ALL`; called on first use. */
  readonly load: (functionId: string) => Promise<unknown>;
  /** Serves addresses outside the API and the sign-in; without it they go to the catch-all. */
  readonly site?: ConsoleSite;
  readonly log: (line: string) => void;
  readonly limits?: Partial<GatewayLimits>;
  /** Hosts that requests may name besides the loopback address and `localhost`. */
  readonly hosts?: readonly string[];
  /** Maximum number of connected clients; further ones are disconnected. Default: unlimited. */
  readonly maxConnections?: number;
  /** The only name that pages and cookies are served under; absent: all names. */
  readonly browserName?: string;
  /** As configured for API Gateway's stage: requests a second on average, and the burst; absent: no limit. */
  readonly throttling?: { readonly rate: number; readonly burst: number } | undefined;
  /** The AWS account's limit of concurrent functions; absent: no limit. */
  readonly concurrency?: number | undefined;
}

export interface Gateway {
  /** Such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Closes open connections and ends functions that stream. */
  close(): Promise<void>;
}

/**
 * Emulates CloudFront, API Gateway and Lambda on a loopback port: each request becomes a proxy event for the route's exported
 * handler, under the cloud's limits, and what it returns or streams is the response.
 * @throws Error with the code EADDRINUSE if the port is taken
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  provideAwsLambdaGlobal();
  const limits: GatewayLimits = { ...GATEWAY_LIMITS, ...options.limits };
  const match = resourceMatcher(options.routes);
  const functionOf = functionLoader(options.load);
  const isTooMuch = throttle(options.throttling);
  const invoke = lambdaConcurrency(options.concurrency);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);

  const answer = async (exchange: Exchange) => {
    const { request, response, requestId } = exchange;
    const hostFault = checkHost(request);
    if (hostFault !== undefined) return rejectRequest(exchange, 400, hostFault);
    const { hosts = [], browserName: name } = options;
    const own = name === undefined ? hosts : [...hosts, hostUnder(name, request.socket.localPort)];
    if (hasForeignHost(request, { hosts: own, localhost: true })) return rejectForeign(request, response, requestId);
    if (isTooMuch()) return rejectTooMany(request, response, requestId);
    const { path } = splitTarget(request.url ?? '/');
    const isOfSite = options.site !== undefined && !/^\/(api|auth)(\/|$)/.test(path);
    const { status, word } = ERRORS.not_found;
    if (isOfSite && consoleFile(path) === undefined) return rejectRequest(exchange, status, word);
    if (name !== undefined && !(await admitUnder(name, request, response))) return;
    if (isOfSite) return await options.site?.(request, response, path);
    const body = await readBody(request, limits.bodyBytes);
    if (body === undefined) return rejectSize(exchange);
    const found = match(request.method ?? 'GET', path);
    const event = proxyEvent(request, { match: found, requestId, body });
    if (Buffer.byteLength(JSON.stringify(event)) > limits.eventBytes) return rejectSize(exchange);
    const handler = await functionOf(found.functionId);
    if (isStreamingHandler(handler) !== (found.mode === 'stream')) {
      throw new Error(`the route's mode is ${found.mode}, but its handler is of the other kind`);
    }
    const call = { handler, event, found, exchange, closing: closing.signal, invoke };
    await (found.mode === 'stream' ? stream(call, limits) : buffer(call, limits));
  };

  const serverOptions = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own response to a request without a host has no body.
    requireHostHeader: false,
    requestTimeout: limits.arrivalMs,
    connectionsCheckingInterval: Math.min(MAX_CHECK_INTERVAL_MS, limits.arrivalMs),
  };
  const server = createServer(serverOptions, (request, response) => {
    const exchange: Exchange = { request, response, requestId: randomUUID() };
    answer(exchange).catch((error: unknown) => {
      failRequest(exchange, error, closing.signal.aborted ? () => undefined : options.log);
    });
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // Otherwise a client would be asked to send a body that is then rejected.
    if (announcedBytes(request) <= limits.bodyBytes) response.writeContinue();
    server.emit('request', request, response);
  });
  // HTTP lets a server ignore an unknown expectation (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', rejectMalformed);
  const { maxConnections = Number.POSITIVE_INFINITY } = options;
  if (Number.isFinite(maxConnections)) server.maxConnections = maxConnections;
  server.once('drop', () => options.log(`clients are cut off: ${maxConnections} are connected, which is the most`));
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${isTcp(address) ? address.port : options.port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      closing.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface FunctionCall {
  readonly handler: FunctionHandler;
  readonly event: unknown;
  readonly found: Match;
  readonly exchange: Exchange;
  /** Aborted when the gateway closes. */
  readonly closing: AbortSignal;
  readonly invoke: <T>(run: () => Promise<T>) => Promise<T>;
}

async function buffer({ handler, event, found, exchange, invoke }: FunctionCall, limits: GatewayLimits) {
  const returned = await invoke(async () => {
    const called = (async () => await handler(event, lambdaContext(found.functionId, limits.integrationMs)))();
    return await withinLimit(called, limits.integrationMs);
  });
  const bytes = Buffer.byteLength(JSON.stringify(returned) ?? '');
  if (bytes > limits.answerBytes) throw new Error(`an answer of ${bytes} bytes; Lambda takes ${limits.answerBytes}`);
  sendProxyResponse(exchange.response, returned);
}

/** A function whose silence ends the response is not told, and runs to its own end. */
async function stream(call: FunctionCall, limits: GatewayLimits) {
  const { request, response } = call.exchange;
  for (let left = request.method === 'GET' ? READ_ATTEMPTS : 1; left > 0; left -= 1) {
    const out = new ResponseStream(response, { maxBytes: limits.streamBytes, silenceMs: limits.silenceMs });
    const running = call.invoke(async () => await runStream(call, out, limits));
    const isSilent = await Promise.race([running.then(() => false), out.silence.then(() => true)]);
    if (!isSilent) return;
    // What becomes of it shows in the function's own log.
    running.catch(() => undefined);
    if (response.destroyed) return;
    if (response.headersSent) break;
  }
  throw new TimedOutError(limits.silenceMs);
}

async function runStream({ handler, event, found, closing }: FunctionCall, out: ResponseStream, limits: GatewayLimits) {
  addAbortSignal(closing, out);
  const failed = new Promise<never>((_, reject) => {
    out.once('error', reject);
  });
  const called = (async () => {
    await handler(event, out, lambdaContext(found.functionId, limits.streamMs));
    if (!out.writableEnded) throw new Error('returned before it ended its stream');
    await finished(out, { readable: false });
  })();
  try {
    // The stream's failure ends the response even if the handler doesn't notice it.
    await withinLimit(Promise.race([called, failed]), limits.streamMs);
  } catch (error) {
    const cause = out.errored ?? error;
    out.destroy();
    throw cause;
  }
}

function isTcp(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

/** One token bucket for all requests, as in an API Gateway stage; returns for each whether it exceeds the limit. */
function throttle(
  throttling: GatewayOptions['throttling'],
  now: () => number = () => performance.now(),
): () => boolean {
  if (throttling === undefined) return () => false;
  let left = throttling.burst;
  let at = now();
  return () => {
    left = Math.min(throttling.burst, left + ((now() - at) / 1000) * throttling.rate);
    at = now();
    if (left < 1) return true;
    left -= 1;
    return false;
  };
}
