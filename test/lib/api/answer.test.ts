import { expect, it } from 'vitest';
import { errorResponse } from '../../../lib/api/answer.ts';
import { ApiError } from '../../../lib/contract/errors.ts';

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
])('when %s, the answer is 503 with a time to wait, and nothing of the cause', (_, error) => {
  const { statusCode, headers, body, unexpected } = errorResponse(error, { requestId: 'r1', tls: false });
  expect([statusCode, headers['retry-after'], unexpected]).toEqual([503, '1', false]);
  expect(JSON.parse(String(body))).toEqual({ error: 'unavailable', request_id: 'r1' });
});

it.each([
  ['fails, as with a full disk', thrown('InternalServerError', 500)],
  ['does not answer in time', Object.assign(thrown('TimeoutError'), { code: 'ETIMEDOUT' })],
  ['can not be reached', Object.assign(thrown('Error'), { code: 'ECONNREFUSED' })],
])('when storage %s, the answer is 503 with a time to wait, and the log gets the cause', (_, error) => {
  const { statusCode, headers, body, unexpected } = errorResponse(error, { requestId: 'r1', tls: false });
  expect([statusCode, headers['retry-after'], unexpected]).toEqual([503, '5', true]);
  expect(JSON.parse(String(body))).toEqual({ error: 'unavailable', request_id: 'r1' });
});

it('anything else unexpected is a fault of ours, of which only the id of the request is told', () => {
  const { statusCode, body, unexpected } = errorResponse(new Error('secret detail'), { requestId: 'r2', tls: false });
  expect([statusCode, unexpected]).toEqual([500, true]);
  expect(JSON.parse(String(body))).toEqual({ error: 'internal_error', request_id: 'r2' });
});

it('a refusal says its own words', () => {
  const { statusCode, body } = errorResponse(ApiError.of('not_found'), { requestId: 'r3', tls: false });
  expect([statusCode, JSON.parse(String(body)).error]).toEqual([404, 'not_found']);
});
