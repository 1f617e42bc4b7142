import type { Readable } from 'node:stream';
import type * as z from 'zod';
import { ApiError } from '../contract/errors.ts';
import type { Route } from '../contract/route.ts';

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
  readonly body: string | Readable;
}

/** Storage says "too fast" under these names. */
const THROTTLES = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'SlowDown',
  'RequestThrottled',
  'OverLimit',
]);

/** Makes an answer out of what was thrown; only an ApiError shows its text. */
export function refusal(thrown: unknown, requestId: string): LambdaAnswer & { readonly unexpected: boolean } {
  const error = asApiError(thrown);
  return {
    statusCode: error.status,
    headers: {
      ...baseHeaders(requestId),
      ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
    },
    body: JSON.stringify({
      error: error.message,
      ...(error.details && { details: error.details }),
      request_id: requestId,
    }),
    unexpected: error.code === 'internal_error',
  };
}

/** Headers of every answer. */
export function baseHeaders(requestId: string): Record<string, string> {
  return {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
}

function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof Error && THROTTLES.has(thrown.name)) return ApiError.of('unavailable', undefined, 1);
  return ApiError.of('internal_error');
}
