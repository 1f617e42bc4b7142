import { expect, it } from 'vitest';
import * as z from 'zod';
import { generateToken } from '../../../lib/access/tokens/api-tokens.ts';
import { errorResponse } from '../../../lib/api/answer.ts';
import { ApiError, InvalidFieldError } from '../../../lib/contract/errors.ts';

const thrown = (name: string, status?: number) =>
  Object.assign(new Error('arn:aws:dynamodb:eu-west-1:1:table/Jobs is too fast'), {
    name,
    ...(status !== undefined && { $metadata: { httpStatusCode: status } }),
  });

it.each([
  ['the table is throttled', thrown('ProvisionedThroughputExceededException')],
  ['an account is throttled', thrown('ThrottlingException')],
  ['the object store asks to slow down', thrown('SlowDown')],
  ['a service answers 503 under another name', thrown('ServiceUnavailable', 503)],
  ['a service answers 429 under another name', thrown('Whatever', 429)],
])('when %s, the answer is 503 with a retry delay, and hides the cause', (_, error) => {
  const { statusCode, headers, body, unexpected } = errorResponse(error, { requestId: 'r1', tls: false });
  expect([statusCode, headers['retry-after'], unexpected]).toEqual([503, '1', false]);
  expect(JSON.parse(String(body))).toEqual({ error: 'unavailable', request_id: 'r1' });
});

it.each([
  ['fails, as with a full disk', thrown('InternalServerError', 500)],
  ['does not answer in time', Object.assign(thrown('TimeoutError'), { code: 'ETIMEDOUT' })],
  ['is unreachable', Object.assign(thrown('Error'), { code: 'ECONNREFUSED' })],
])('when storage %s, the answer is 503 with a retry delay, and the log shows the cause', (_, error) => {
  const { statusCode, headers, body, unexpected } = errorResponse(error, { requestId: 'r1', tls: false });
  expect([statusCode, headers['retry-after'], unexpected]).toEqual([503, '5', true]);
  expect(JSON.parse(String(body))).toEqual({ error: 'unavailable', request_id: 'r1' });
});

it("any other unexpected error is an internal error, and the answer shows only the request's id", () => {
  const { statusCode, body, unexpected } = errorResponse(new Error('secret detail'), { requestId: 'r2', tls: false });
  expect([statusCode, unexpected]).toEqual([500, true]);
  expect(JSON.parse(String(body))).toEqual({ error: 'internal_error', request_id: 'r2' });
});

it('a rejected field is named with its place, and a token in the wrong place is not repeated', () => {
  const given = InvalidFieldError.of('limit', `received ${generateToken()}, ${generateToken()}`);
  const route = { query: z.object({ limit: z.string() }), headers: undefined };
  const { statusCode, body } = errorResponse(given, { requestId: 'r', tls: false }, route);
  expect([statusCode, String(body)]).toEqual([400, expect.stringContaining('"query.limit: received pq_***, pq_***"')]);
  const details = { faults: ['a', 'b'] };
  const several = errorResponse(ApiError.because('invalid_request', 'a', details), { requestId: 'r', tls: false });
  expect(JSON.parse(String(several.body))).toEqual({ error: 'a', details, request_id: 'r' });
});
