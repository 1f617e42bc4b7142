import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { generateToken } from '../../../lib/access/tokens/api-tokens.ts';
import { baseHeaders, errorResponse } from '../../../lib/api/answer.ts';
import { ApiError, InvalidFieldError } from '../../../lib/contract/errors.ts';
import { NewerSchemaError } from '../../../lib/jobs/lifecycle/newer-schema.ts';
import { tableOutage } from '../../../lib/platform/aws/table-outage.ts';

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

it('an error response has its own message', () => {
  const { statusCode, body } = errorResponse(ApiError.of('not_found'), { requestId: 'r3', tls: false });
  expect([statusCode, JSON.parse(String(body)).error]).toEqual([404, 'not_found']);
});

it('names the table if a request to it failed, wherever that was', async () => {
  const options = { region: 'eu-central-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' }, maxAttempts: 1 };
  // Nothing listens at the port of tcpmux.
  const client = new DynamoDBClient({ ...options, endpoint: 'http://127.0.0.1:1' });
  tableOutage.attach(client);
  const error: unknown = await client.send(new ListTablesCommand({})).catch((thrown: unknown) => thrown);
  const { statusCode, body } = errorResponse(error, { requestId: 'r', tls: false });
  expect([statusCode, JSON.parse(String(body))]).toMatchObject([503, { details: { failed: ['table'] } }]);
});

it('what only a newer version can read is there again in half a minute', () => {
  const { statusCode, headers, unexpected } = errorResponse(new NewerSchemaError('job j'), {
    requestId: 'r',
    tls: false,
  });
  expect([statusCode, headers['retry-after'], unexpected]).toEqual([503, '30', false]);
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

it('only an answer without a known caller says how to come with a token', () => {
  const headersOf = (error: ApiError) => errorResponse(error, { requestId: 'r', tls: false }).headers;
  expect(headersOf(ApiError.of('unauthorized'))['www-authenticate']).toBe('Bearer realm="promptq"');
  const others = headersOf(ApiError.of('forbidden'));
  expect(others).not.toHaveProperty('www-authenticate');
  expect(others).not.toHaveProperty('retry-after');
});

it('an answer is JSON, has the id of its request, and keeps browsers at TLS only where clients come by it', () => {
  const [plain, secure] = [false, true].map((tls) => baseHeaders({ requestId: 'r', tls }));
  expect(plain).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r' });
  expect(plain).not.toHaveProperty('strict-transport-security');
  expect(secure).toMatchObject({ ...plain, 'strict-transport-security': expect.stringContaining('max-age=') });
});
