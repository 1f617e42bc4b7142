import type * as z from 'zod';
import { ERRORS, type ErrorCode } from './errors.ts';
import { SCOPES, type Scope } from './scopes.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** Principals of routes that are not open to every principal with the scope. */
export const REQUIRED_PRINCIPALS = {
  'admin-sessions': 'a browser session of an admin',
  tokens: 'an API token',
} as const;

/** Prefix of all paths in the routing table. */
export const BASE_PATH = '/api/v1';

/** Resources that a route's function uses. Its role has exactly these permissions. */
export interface Access {
  readonly jobs?: 'read' | 'write';
  readonly registry?: 'read' | 'write';
  readonly output?: 'read' | 'write';
  /** Indexes of the jobs table that it queries: for lists, or for the place in the queue. */
  readonly jobIndexes?: readonly ('by-time' | 'by-status' | 'ready')[];
  /** `jobs`: deletes the item and the objects of a job. `output`: its objects, with all their versions. */
  readonly removal?: 'jobs' | 'output';
  readonly dispatchQueues?: 'send';
  /** Messages that trigger signed calls of deploy bindings. */
  readonly deliveries?: 'send';
  /**
   * Keys that sign calls, and secrets of subscriptions. Those that write them can replace and delete them, but not read
   * them; `read` is for doors that check what a messenger sends.
   */
  readonly bindingSecrets?: 'read' | 'write';
  /** Secrets of hooks. Only the function that receives deliveries reads them. */
  readonly hookSecrets?: 'read' | 'write';
  /** The audit log. `audited` grants writing to it. */
  readonly audit?: 'read';
  readonly tokens?: 'list' | 'create' | 'change';
  /** Browser sessions. Authentication needs none of these. */
  readonly sessions?: readonly ('list' | 'start' | 'end')[];
  /** The client secret for the identity provider. */
  readonly clientSecret?: 'read';
  /** The one-time code of a login, from its process. */
  readonly loginCode?: 'read';
  /** Slots for streaming followed logs, which a limited number of functions can hold at a time. */
  readonly followSlots?: 'write';
  /** The deployment's address. Pages, and routes that change something, read it without this. */
  readonly publicOrigin?: 'read';
  /**
   * Exports. `link`: their files, by links that it signs. Those that read or start one also wake the function that writes
   * them.
   */
  readonly exports?: readonly ('read' | 'start' | 'link' | 'delete')[];
  /** Calls the function that delivers to subscriptions. */
  readonly feedReaders?: 'call';
  /** Immediate scaling decision, for work that is not a job. */
  readonly scaling?: 'wake';
}

export interface RouteResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Text responses other than JSON, by media type. */
  readonly otherMedia?: Readonly<Record<string, z.ZodString>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Who may pass a door. A `principal` sends a credential and has a scope. A `page` is for browsers outside the API: it
 * answers with pages and redirects, and authorizes its callers itself. A `signature` proves that another service sent the
 * body, as in its webhooks.
 */
type Auth =
  | {
      readonly kind: 'principal';
      readonly scope: Scope;
      /**
       * `admin-sessions`: only browser sessions of administrators, regardless of a token's scopes. `tokens`: only API
       * tokens that have the scope.
       */
      readonly only?: keyof typeof REQUIRED_PRINCIPALS;
    }
  | { readonly kind: 'page' }
  | { readonly kind: 'signature' };

/** An entry of the routing table, of any kind. */
export interface Door {
  /** `resource.verb`: names the handler's file `functions/resource/verb.ts` and the OpenAPI operation. */
  readonly id: `${string}.${string}`;
  readonly method: Method;
  /** Relative to `BASE_PATH`, but whole for a page; parameters as `{name}`. */
  readonly path: `/${string}`;
  readonly auth: Auth;
  /** Whether each authorized call is written to the audit log. */
  readonly audited?: boolean;
  readonly summary: string;
  /** `stream`: sent in constant memory as it is produced. `buffered`: checked against its schema and sent whole, below 6 MB. */
  readonly mode: 'buffered' | 'stream';
  readonly access: Access;
}

type ObjectSchema = z.ZodObject;

/** A door of the API. Everything about a route is derived from it. */
export interface Route<
  P extends ObjectSchema | undefined = ObjectSchema | undefined,
  Q extends ObjectSchema | undefined = ObjectSchema | undefined,
  B extends ObjectSchema | undefined = ObjectSchema | undefined,
  R extends Readonly<Record<number, RouteResponse>> = Readonly<Record<number, RouteResponse>>,
  H extends ObjectSchema | undefined = ObjectSchema | undefined,
> extends Door {
  readonly auth: Extract<Auth, { kind: 'principal' }>;
  readonly description: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Request headers that the route reads, in lower case. Others are ignored. */
  readonly headers: H;
  /** Whether a missing body counts as `{}`. */
  readonly bodyOptional?: boolean;
  readonly responses: R;
  /** Errors of this route in addition to `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
}

/** The full path of a door. */
export function wholePath({ path, auth }: Pick<Door, 'path' | 'auth'>): string {
  return auth.kind === 'page' ? path : `${BASE_PATH}${path}`;
}

/** Errors of every route. `invalid_request`: every route rejects unknown query parameters. */
export const COMMON_ERRORS = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'request_timeout',
  'body_too_large',
  'too_many_requests',
  'headers_too_large',
  'internal_error',
  'function_failed',
  'unavailable',
  'timed_out',
] as const satisfies readonly ErrorCode[];

type Parsed<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;

/** The parsed request of a route's function. */
export interface RouteInput<R extends Route> {
  readonly params: Parsed<R['params']>;
  readonly query: Parsed<R['query']>;
  readonly body: Parsed<R['body']>;
  readonly headers: Parsed<R['headers']>;
}

/**
 * Declares a route and validates it.
 * @throws Error at load: unknown scope, error or method; a path parameter without a schema or a schema without a path parameter; a body on GET.
 */
export function defineRoute<
  P extends ObjectSchema | undefined = undefined,
  Q extends ObjectSchema | undefined = undefined,
  B extends ObjectSchema | undefined = undefined,
  R extends Readonly<Record<number, RouteResponse>> = Readonly<Record<number, RouteResponse>>,
  H extends ObjectSchema | undefined = undefined,
>(
  spec: Omit<Route<P, Q, B, R, H>, 'params' | 'query' | 'body' | 'headers'> & {
    params?: P;
    query?: Q;
    body?: B;
    headers?: H;
  },
): Route<P, Q, B, R, H> {
  const fail = (why: string): never => {
    throw new Error(`route ${spec.id}: ${why}`);
  };
  if (!/^[a-z-]+\.[a-z-]+$/.test(spec.id)) fail('the id must be resource.verb in kebab-case');
  if (!METHODS.includes(spec.method)) fail(`unknown method ${spec.method}`);
  if (!SCOPES.includes(spec.auth.scope)) fail(`unknown scope ${spec.auth.scope}; known: ${SCOPES.join(', ')}`);
  for (const code of spec.errors) if (!(code in ERRORS)) fail(`unknown error ${code}`);
  if (!/^(\/([a-z][a-z0-9.-]*|\{[a-z_]+\}))+$/.test(spec.path)) fail(`malformed path ${spec.path}`);
  const inPath = pathParameters(spec.path);
  const inSchema = Object.keys(spec.params?.shape ?? {});
  for (const name of inPath) if (!inSchema.includes(name)) fail(`the path parameter {${name}} has no schema`);
  for (const name of inSchema)
    if (!inPath.includes(name)) fail(`the parameter ${name} is not in the path ${spec.path}`);
  if (spec.body !== undefined && (spec.method === 'GET' || spec.method === 'DELETE'))
    fail(`${spec.method} takes no body`);
  return {
    ...spec,
    params: spec.params as P,
    query: spec.query as Q,
    body: spec.body as B,
    headers: spec.headers as H,
  };
}

/** Names of the `{parameters}` of a path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map((match) => match[1] ?? '');
}

/**
 * Combines routes into the routing table.
 * @throws Error at load for two routes with one id, or with one method and path.
 */
export function defineRoutes<const T extends readonly Route[]>(routes: T): T {
  const seen = new Map<string, string>();
  for (const route of routes) {
    for (const key of [`id ${route.id}`, `${route.method} ${route.path.replaceAll(/\{[a-z_]+\}/g, '{}')}`]) {
      const other = seen.get(key);
      if (other !== undefined) throw new Error(`route ${route.id}: ${key} is already taken by ${other}`);
      seen.set(key, route.id);
    }
  }
  return routes;
}
