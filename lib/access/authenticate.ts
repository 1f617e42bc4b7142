import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../contract/errors.ts';
import type { Principal } from './principal.ts';
import { readCookie } from './sessions/session-cookie.ts';
import { isSessionCookie } from './sessions/session-store.ts';
import { isWellFormed, TOKEN_PATTERN } from './tokens/api-tokens.ts';

/** Headers by lower-case name; the last value of a repeated header. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** A call, as verifiers see it. */
interface Caller {
  readonly event: APIGatewayProxyEvent;
  readonly headers: Headers;
}

/** Resolves a credential to a principal; undefined if it is invalid. */
type Verifier = (credential: string, caller: Caller) => Promise<Principal | undefined>;

/** One verifier for each kind of principal. */
export type Verifiers = Readonly<Record<Principal['kind'], Verifier>>;

/** Where each kind of credential is read from, in order of precedence. */
const PLACES: readonly (readonly [
  Principal['kind'],
  (headers: Headers, sessionCookie: string) => string | undefined,
])[] = [
  ['token', (headers) => apiTokenOf(headers)],
  ['perimeter', (headers) => headers['x-perimeter-token']?.trim()],
  ['telegram', (headers) => headers['x-telegram-init-data']],
  ['session', (headers, sessionCookie) => readCookie(headers.cookie, sessionCookie)],
];

/** Headers that carry a credential which a caller sends once. */
const ONCE = new Set(['authorization', 'x-api-token', 'x-perimeter-token', 'x-telegram-init-data']);

/**
 * Authenticates the caller. The first credential present decides: if it is invalid, no other is tried. An empty header
 * counts as absent.
 * @param options.sessionCookie name of the session cookie
 * @throws ApiError `unauthorized`, the same for every failure; also for a token in the URL, which logs and browser
 *   histories keep, and for a credential's header that is sent twice: a proxy may have judged the other value.
 */
export async function authenticate(
  event: APIGatewayProxyEvent,
  options: { verifiers: Verifiers; sessionCookie: string },
): Promise<Principal> {
  const { headers, kind, credential } = presented(event, options.sessionCookie);
  const principal = await options.verifiers[kind](credential, { event, headers });
  if (principal === undefined) throw ApiError.of('unauthorized');
  return principal;
}

/**
 * Whether the caller presents a token or session that only the registry can tell from an invalid one.
 * @throws ApiError `unauthorized`, as `authenticate`
 */
export function needsRegistry(event: APIGatewayProxyEvent, options: { sessionCookie: string }): boolean {
  const { kind, credential } = presented(event, options.sessionCookie);
  return (kind === 'token' && isWellFormed(credential)) || (kind === 'session' && isSessionCookie(credential));
}

/** @throws ApiError `unauthorized` */
function presented(event: APIGatewayProxyEvent, sessionCookie: string) {
  if (TOKEN_PATTERN.test(urlText(event))) throw ApiError.of('unauthorized');
  if (sendsTwice(event)) throw ApiError.of('unauthorized');
  const headers = lowerCaseHeaders(event);
  for (const [kind, find] of PLACES) {
    const credential = find(headers, sessionCookie);
    if (credential) return { headers, kind, credential };
  }
  throw ApiError.of('unauthorized');
}

/** A name may also have several spellings. */
function sendsTwice({ headers, multiValueHeaders }: APIGatewayProxyEvent): boolean {
  const seen = new Set<string>();
  for (const [name, values] of Object.entries(multiValueHeaders ?? headers)) {
    const lower = name.toLowerCase();
    if (!ONCE.has(lower)) continue;
    if (seen.has(lower) || (Array.isArray(values) && values.length > 1)) return true;
    seen.add(lower);
  }
  return false;
}

/**
 * The token of either header.
 * @throws ApiError `unauthorized` for two different tokens, which are ambiguous.
 */
export function apiTokenOf(headers: Headers): string | undefined {
  const [first, second] = [bearer(headers.authorization), headers['x-api-token']?.trim()];
  if (first && second && first !== second) throw ApiError.of('unauthorized');
  return first || second;
}

/** An event's headers by lower-case name. */
export function lowerCaseHeaders({ headers }: Pick<APIGatewayProxyEvent, 'headers'>): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Schemes other than Bearer are ignored: a proxy on the way may use them. */
function bearer(authorization: string | undefined): string | undefined {
  return /^bearer +(.*)$/i.exec(authorization?.trim() ?? '')?.[1];
}

function urlText(event: APIGatewayProxyEvent): string {
  const query = Object.entries(event.multiValueQueryStringParameters ?? {}).flatMap(([name, values]) => [
    name,
    ...(values ?? []),
  ]);
  return [event.path, ...query].join(' ');
}
