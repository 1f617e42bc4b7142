import type * as z from 'zod';
import { ERRORS, type ErrorCode } from './errors.ts';
import { SCOPES, type Scope } from './scopes.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** Whom a route takes that is not for every principal with its scope. */
export const REQUIRED_PRINCIPALS = { 'admin-sessions': 'a browser session of an admin' } as const;

/** All paths of the table are relative to this. */
export const BASE_PATH = '/api/v1';

/** What a route's function touches; its role can do this and nothing else. */
export interface Access {
  readonly jobs?: 'read' | 'write';
  readonly registry?: 'read' | 'write';
  readonly output?: 'read' | 'write';
  /** The index of the waiting jobs. */
  readonly queue?: 'read';
  readonly permits?: 'send';
  /** Messages by which a signed call of a deploy binding is made. */
  readonly deliveries?: 'send';
  /** Keys by which calls are signed; they can be replaced and thrown away, never read. */
  readonly bindingSecrets?: 'write';
  /** What is written down about who did what; writing it follows from `audited`. */
  readonly audit?: 'read';
  readonly tokens?: 'list' | 'create' | 'change';
  /** Browser sessions; finding out whose a call is takes none of it. */
  readonly sessions?: readonly ('list' | 'start' | 'end')[];
  /** The secret that the service has with the identity provider. */
  readonly clientSecret?: 'read';
  /** Asking the process of a login for its one-time code. */
  readonly loginCode?: 'read';
  /** The right to stream a followed log, which a limited number of functions has at once. */
  readonly followSlots?: 'write';
  /** Having it decided at once whether the work needs more workers, for work that is no job. */
  readonly scaling?: 'wake';
}

export interface RouteResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Other forms of the answer than JSON, by media type; text. */
  readonly otherMedia?: Readonly<Record<string, z.ZodString>>;
  readonly headers?: Readonly<Record<string, string>>;
}

type ObjectSchema = z.ZodObject;

/** One line of the routing table. Everything about a route is derived from it. */
export interface Route<
  P extends ObjectSchema | undefined = ObjectSchema | undefined,
  Q extends ObjectSchema | undefined = ObjectSchema | undefined,
  B extends ObjectSchema | undefined = ObjectSchema | undefined,
  R extends Readonly<Record<number, RouteResponse>> = Readonly<Record<number, RouteResponse>>,
  H extends ObjectSchema | undefined = ObjectSchema | undefined,
> {
  /** `resource.verb`: names the handler's file `functions/resource/verb.ts` and the OpenAPI operation. */
  readonly id: `${string}.${string}`;
  readonly method: Method;
  /** Relative to `BASE_PATH`; parameters as `{name}`. */
  readonly path: `/${string}`;
  readonly scope: Scope;
  /** `admin-sessions`: for browser sessions of administrators alone, whatever scopes a token has. */
  readonly only?: keyof typeof REQUIRED_PRINCIPALS;
  /** Whether an audit row is kept of each call that was let in. */
  readonly audited?: boolean;
  readonly summary: string;
  readonly description: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Request headers that the route reads, in lower case; others are no matter of it. */
  readonly headers: H;
  /** Whether a missing body is taken as `{}`. */
  readonly bodyOptional?: boolean;
  readonly responses: R;
  /** Refusals of this route beyond those that every route has. */
  readonly errors: readonly ErrorCode[];
  /** `stream`: sent with constant memory as it is made; `buffered`: checked against its schema and sent whole, under 6 MB. */
  readonly mode: 'buffered' | 'stream';
  readonly access: Access;
}

/**
 * What browsers reach outside the API, by its whole path: it judges its callers itself, answers with pages and
 * redirects, and is no matter of clients.
 */
export interface Page extends Pick<Route, 'id' | 'method' | 'summary' | 'audited' | 'access'> {
  readonly path: `/auth/${string}`;
  readonly outsideApi: true;
  readonly mode: 'buffered';
}

/** The whole path of a route or a page. */
export function wholePath({ path, outsideApi }: { readonly path: string; readonly outsideApi?: true }): string {
  return outsideApi ? path : `${BASE_PATH}${path}`;
}

/** Every route can answer with these; `invalid_request` because every route refuses a query parameter that it doesn't know. */
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

/** What a route's function gets, parsed. */
export interface RouteInput<R extends Route> {
  readonly params: Parsed<R['params']>;
  readonly query: Parsed<R['query']>;
  readonly body: Parsed<R['body']>;
  readonly headers: Parsed<R['headers']>;
}

/**
 * Declares a route and checks what can be checked of it alone.
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
  if (!SCOPES.includes(spec.scope)) fail(`unknown scope ${spec.scope}; known: ${SCOPES.join(', ')}`);
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
 * Puts routes together into the table.
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
