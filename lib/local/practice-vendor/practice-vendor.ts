import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { isOwnConnection } from '../run-access/connection-owner.ts';
import { hasForeignHost, hasForeignOrigin } from '../run-access/foreign-callers.ts';
import { DECIDE_ROUTE, openIssuer } from './issuer.ts';
import { NOT_LOGGED_IN, type Refusal, sendRefusal, usageLimit, WRONG_KEY } from './model/refusal.ts';
import { ModelRoutes } from './model-routes.ts';

/** A running practice vendor. */
export interface PracticeVendor {
  /** For codex's `base_url`; ends in `/v1`. */
  readonly baseUrl: string;
  /** The Bearer key that it accepts. */
  readonly apiKey: string;
  /** Closes every connection, hanging ones too, and stops listening. */
  close(): Promise<void>;
}

/**
 * Starts a stand-in for the vendors on loopback. Its model: `POST /v1/responses` for codex, `POST /v1/messages` for
 * claude (both answer with server-sent events), and `GET /v1/models`. A run survives a restart on the same port, because
 * the model reads its state from the request. The operator's part: `GET`/`PUT /practice/state` (`limits.ts`) and
 * `GET /practice/requests` (`journal.ts`). Its login: `issuer.ts`. `port` 0 or none: any free one. `loginsFile`: keeps logins across restarts.
 */
export async function startPracticeVendor(
  options: {
    port?: number;
    /** The accepted key; undefined: a random one. */
    apiKey?: string;
    loginsFile?: string | undefined;
    /** Whether a connection is the operator's own; tests replace it. */
    isOwn?: (socket: Socket) => Promise<boolean>;
  } = {},
): Promise<PracticeVendor> {
  const { apiKey = randomBytes(32).toString('base64url'), isOwn = isOwnConnection } = options;
  let limits = NO_LIMITS;
  const hasKey = (given: string) => timingSafeEqual(digest(given), digest(apiKey));
  const issuer = await openIssuer({
    file: options.loginsFile,
    mayDecide: async (socket, key) => (await isOwn(socket)) || hasKey(key),
  });

  const models = new ModelRoutes();
  const isKnown = (request: IncomingMessage) => hasKey(keyOf(request)) || issuer.opens(keyOf(request));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://practice').pathname;
    const route = `${request.method} ${path}`;
    const isFromPage = request.headers.origin !== undefined;
    if (hasForeignHost(request) || hasForeignOrigin(request) || (isFromPage && route !== DECIDE_ROUTE))
      return sendError(response, 403, 'The practice vendor answers no other web page, and no other host name.');
    // The issuer's settings are the operator's alone, as are the model's.
    if (path.startsWith('/practice/') && !hasKey(keyOf(request))) return sendRefusal(response, WRONG_KEY);
    if (route === 'GET /practice/state') return sendJson(response, 200, limits);
    if (route === 'GET /practice/requests') return sendJson(response, 200, { items: models.journal.items });
    if (await issuer.answer(route, request, response)) return;
    if (!ROUTES.has(route)) return sendError(response, 404, `The practice vendor has no ${route}.`);
    if (!isKnown(request)) {
      const refusal = keyOf(request) === '' ? NOT_LOGGED_IN : WRONG_KEY;
      return models.refuse(route, response, refusal) ? undefined : sendRefusal(response, refusal);
    }
    if (route === 'GET /v1/models') return sendJson(response, 200, MODELS);
    if (await models.answer(route, request, response, refusedBy(limits))) return;
    limits = { ...limits, ...limitsSchema.partial().parse(JSON.parse((await buffer(request)).toString())) };
    return sendJson(response, 200, limits);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => fail(response, error));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');

  return {
    baseUrl: `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}/v1`,
    apiKey,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The key or access token of a request; empty: it has none. claude sends an API key in another header. */
function keyOf({ headers: { authorization = '', 'x-api-key': apiKey } }: IncomingMessage): string {
  return typeof apiKey === 'string' ? apiKey : authorization.replace(/^Bearer /, '');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const ROUTES = new Set(['POST /v1/responses', 'POST /v1/messages', 'GET /v1/models', 'PUT /practice/state']);

/** Read by codex; with an empty `models` it uses its built-in list. */
const MODELS = { object: 'list', data: [{ id: 'practice', object: 'model', owned_by: 'practice' }], models: [] };

function fail(response: ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    response.destroy();
  } else if (error instanceof z.ZodError) {
    sendError(response, 400, z.prettifyError(error));
  } else if (error instanceof SyntaxError) {
    sendError(response, 400, `The body is not JSON: ${error.message}`);
  } else {
    sendError(response, 500, String(error));
  }
}

function sendError(response: ServerResponse, status: number, message: string): void {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  sendJson(response, status, { error: { message, type, code: null } });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Limits that apply to every request, whatever its prompt: an operator parks and releases jobs with them. */
const limitsSchema = z.strictObject({
  /** Until then every request gets the usage limit; `null`: none. RFC 3339. */
  usage_limit_until: z.iso.datetime({ offset: true }).nullable(),
  logged_in: z.boolean(),
});
type Limits = z.output<typeof limitsSchema>;

const NO_LIMITS: Limits = { usage_limit_until: null, logged_in: true };

/** Why a request is rejected now, if it is. */
function refusedBy(limits: Limits): Refusal | undefined {
  if (!limits.logged_in) return NOT_LOGGED_IN;
  if (limits.usage_limit_until === null) return undefined;
  const until = new Date(limits.usage_limit_until);
  return until.getTime() > Date.now() ? usageLimit(until) : undefined;
}
