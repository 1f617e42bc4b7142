import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../contract/errors.ts';
import type { Principal } from './principal.ts';
import { readCookie } from './sessions/session-cookie.ts';
import { TOKEN_PATTERN } from './tokens/api-tokens.ts';

/** Headers by lower-case name; of a repeated one the last. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** A call as those see it who find out who makes it. */
interface Caller {
  readonly event: APIGatewayProxyEvent;
  readonly headers: Headers;
}

/** Tells whom a credential stands for; undefined: nobody. */
type Verifier = (credential: string, caller: Caller) => Promise<Principal | undefined>;

/** One for each kind of principal. */
export type Verifiers = Readonly<Record<Principal['kind'], Verifier>>;

/** Where a credential of each kind stands, in the order in which they are looked for. */
const PLACES: readonly (readonly [
  Principal['kind'],
  (headers: Headers, sessionCookie: string) => string | undefined,
])[] = [
  ['token', (headers) => apiTokenOf(headers)],
  ['perimeter', (headers) => headers['x-perimeter-token']?.trim()],
  ['telegram', (headers) => headers['x-telegram-init-data']],
  ['session', (headers, sessionCookie) => readCookie(headers.cookie, sessionCookie)],
];

/**
 * Finds out who calls. The first credential that is present decides: if it is wrong, no other is tried. An empty header
 * is none.
 * @param options.sessionCookie name of the cookie that proves a browser session
 * @throws ApiError `unauthorized`, the same for whatever is wrong; also when a token stands in the URL, where logs and histories keep it.
 */
export async function authenticate(
  event: APIGatewayProxyEvent,
  options: { verifiers: Verifiers; sessionCookie: string },
): Promise<Principal> {
  if (TOKEN_PATTERN.test(urlText(event))) throw ApiError.of('unauthorized');
  const headers = lowerCaseHeaders(event);
  for (const [kind, find] of PLACES) {
    const credential = find(headers, options.sessionCookie);
    if (!credential) continue;
    const principal = await options.verifiers[kind](credential, { event, headers });
    if (principal === undefined) break;
    return principal;
  }
  throw ApiError.of('unauthorized');
}

/**
 * The token of either header. Which of two different ones is meant nobody can tell.
 * @throws ApiError `unauthorized` for two different ones.
 */
function apiTokenOf(headers: Headers): string | undefined {
  const [first, second] = [bearer(headers.authorization), headers['x-api-token']?.trim()];
  if (first && second && first !== second) throw ApiError.of('unauthorized');
  return first || second;
}

/** An event's headers by lower-case name. */
export function lowerCaseHeaders({ headers }: Pick<APIGatewayProxyEvent, 'headers'>): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Other schemes than Bearer are no credential of ours: a proxy on the way may ask for them. */
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
