import type { Readable } from 'node:stream';
import type * as z from 'zod';
import { TOKEN_PATTERN } from '../access/tokens/api-tokens.ts';
import { ApiError, CHALLENGE, InvalidFieldError } from '../contract/errors.ts';
import type { Route } from '../contract/route.ts';
import { SECURITY_HEADERS, TLS_ONLY_HEADERS } from '../contract/security-headers.ts';
import { NewerSchemaError } from '../jobs/lifecycle/newer-schema.ts';
import { tableOutage } from '../platform/aws/table-outage.ts';
import { isThrottle } from '../platform/aws/throttles.ts';
import { isUnavailable } from '../platform/aws/unavailable.ts';
import { invalidRequest } from './invalid-field.ts';

/** What a route's function answers with. */
export interface Answer<R extends Route> {
  /** Default: the first status of the route's responses. */
  readonly status?: keyof R['responses'] & number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A `Readable` is JSON text, or what the header content-type says, for stream routes only; nothing: no body. */
  readonly body?: BodyOf<R['responses'][keyof R['responses'] & number]> | Readable;
}

type BodyOf<Response> = Response extends { schema: infer S extends z.ZodType } ? z.input<S> : never;

/** What Lambda hands to API Gateway. */
export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  /** Headers that occur more than once. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body: string | Readable;
}

/** Seconds after which it is worth asking again for what only a newer version knows. */
const NEWER_RETRY = 30;

/** The same for storage that is broken, full or out of reach. */
const OUTAGE_RETRY = 5;

/** What headers depend on. */
export interface AnswerSettings {
  readonly requestId: string;
  /** Whether clients come by TLS. */
  readonly tls: boolean;
}

const ANY_TOKEN = new RegExp(TOKEN_PATTERN.source, 'g');

/** Makes an answer out of what was thrown; only an ApiError shows its text. `unexpected`: an operator must see the cause. */
export function errorResponse(
  thrown: unknown,
  settings: AnswerSettings,
  route: Pick<Route, 'query' | 'headers'> = { query: undefined, headers: undefined },
): LambdaAnswer & { readonly unexpected: boolean } {
  const error = asApiError(thrown, route);
  return {
    statusCode: error.status,
    headers: {
      ...baseHeaders(settings),
      ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
      ...(error.code === 'unauthorized' && { 'www-authenticate': CHALLENGE }),
      ...(error.code === 'method_not_allowed' && { allow: [error.details?.allowed].flat().join(', ') }),
    },
    // A sentence says what was received; that can be a token in the wrong place, and what shows answers would show it.
    body: JSON.stringify({
      error: error.message,
      ...(error.details && { details: error.details }),
      request_id: settings.requestId,
    }).replaceAll(ANY_TOKEN, 'pq_***'),
    unexpected: error.code === 'internal_error' || (isUnavailable(thrown) && !isThrottle(thrown)),
  };
}

/** Headers of every answer. */
export function baseHeaders({ requestId, tls }: AnswerSettings): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    ...SECURITY_HEADERS,
    ...(tls && TLS_ONLY_HEADERS),
    'x-request-id': requestId,
  };
}

function asApiError(thrown: unknown, route: Pick<Route, 'query' | 'headers'>): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof InvalidFieldError) return invalidRequest(thrown, route);
  // During a deployment or after a rollback, the version that can read this job answers, or will answer again.
  if (thrown instanceof NewerSchemaError) return ApiError.of('unavailable', undefined, NEWER_RETRY);
  if (isThrottle(thrown)) return ApiError.of('unavailable', undefined, 1);
  if (tableOutage.caused(thrown)) return ApiError.of('unavailable', { failed: ['table'] }, OUTAGE_RETRY);
  if (isUnavailable(thrown)) return ApiError.of('unavailable', undefined, OUTAGE_RETRY);
  return ApiError.of('internal_error');
}
