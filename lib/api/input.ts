import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import { ApiError } from '../contract/errors.ts';
import { nameList } from '../contract/input/input-fault.ts';
import { parseObject, rejectUnknown } from '../contract/input/parse-object.ts';
import { LIMITS } from '../contract/limits.ts';
import type { Route, RouteInput } from '../contract/route.ts';
import { pathParametersOf } from './path-parameters.ts';

/**
 * Parses path, query, headers and body of a request by its route's schemas.
 * @throws ApiError `invalid_request` with the location, the received and the allowed values; not found for an id that no
 * item can have
 */
export function parseInput<R extends Route>(route: R, event: APIGatewayProxyEvent): RouteInput<R> {
  const given = pathParametersOf(event);
  rejectImpossibleIds(route, given);
  const params = parse(route.params, 'path', given);
  // Normalizing may have made it longer.
  rejectImpossibleIds(route, params);
  const query = parse(route.query, 'query', queryOf(event));
  const headers = parse(route.headers, 'header', headersOf(event, Object.keys(route.headers?.shape ?? {})));
  const body = route.body === undefined ? {} : parse(route.body, 'body', bodyOf(route, event));
  return { params, query, headers, body } as RouteInput<R>;
}

/** Nothing has a NUL in its id, and DynamoDB fails on a longer key instead of finding nothing. */
function rejectImpossibleIds({ errors }: Route, params: object): void {
  for (const [name, value] of Object.entries(params))
    if (Buffer.byteLength(String(value)) > LIMITS.keyBytes || String(value).includes('\0'))
      throw ApiError.of(name === 'id' && errors.includes('job_not_found') ? 'job_not_found' : 'not_found');
}

/** The size in bytes of the body, in which U+FFFD (3 bytes) replaces each byte that is not UTF-8. */
export function rawBodyBytes(event: APIGatewayProxyEvent): number {
  return Buffer.byteLength(event.body ?? '');
}

function parse(schema: z.ZodObject | undefined, where: string, value: Record<string, unknown>): object {
  if (schema !== undefined)
    return parseObject(schema, where, value, { unknown: where === 'path' ? 'ignore' : 'reject' });
  if (where !== 'path') rejectUnknown([], where, value);
  return {};
}

function queryOf(event: APIGatewayProxyEvent): Record<string, unknown> {
  const query = new Map<string, string | undefined>();
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (values === undefined) continue;
    if (values.length > 1) {
      throw ApiError.because(
        'invalid_request',
        `query: ${nameList([name])} was given ${values.length} times; once is allowed`,
      );
    }
    query.set(name, values[0]);
  }
  // Unlike an assignment this creates a member `__proto__` too, which is then rejected as unknown.
  return Object.fromEntries(query);
}

/** The named headers; an empty one counts as absent. */
function headersOf(event: APIGatewayProxyEvent, names: readonly string[]): Record<string, unknown> {
  const given = Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(given.filter(([name, value]) => names.includes(name) && value));
}

function bodyOf(route: Route, event: APIGatewayProxyEvent): Record<string, unknown> {
  if (event.body === null || event.body === '') {
    if (route.bodyOptional) return {};
    throw ApiError.because('invalid_request', 'body: received nothing; a JSON object is needed');
  }
  const value = parseJson(event.body);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const received = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
  throw ApiError.because('invalid_request', `body: received ${received}; a JSON object is needed`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message.replace(/, ".*" is not valid JSON$/s, '') : 'unreadable';
    throw ApiError.because('invalid_request', `body: not valid JSON (${why}); a JSON object is needed`);
  }
}
