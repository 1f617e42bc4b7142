import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ClientGoneError } from '../../../../lib/local/gateway/client-gone-error.ts';
import { TimedOutError } from '../../../../lib/local/gateway/gateway-invocation.ts';
import { failRequest, rejectMalformed } from '../../../../lib/local/gateway/gateway-rejections.ts';
import { sendGatewayError, sendProxyResponse } from '../../../../lib/local/gateway/gateway-response.ts';
import { LambdaThrottledError } from '../../../../lib/local/gateway/lambda-concurrency.ts';

/** What a function's answer becomes. */
class Answer extends EventEmitter {
  readonly sent: unknown[] = [];
  headersSent = false;
  destroyed = false;
  writeHead(status: number, headers: string[] | Record<string, unknown>): this {
    this.sent.push(status, headers);
    return this;
  }
  end(body?: Buffer | string): void {
    this.sent.push(body === undefined ? 'no body' : String(body));
  }
  destroy(): void {
    this.sent.push('cut off');
  }
}
function answered(returned: unknown): unknown[] {
  const answer = new Answer();
  sendProxyResponse(answer as unknown as ServerResponse, returned);
  return answer.sent;
}
const TYPE = ['content-type', 'application/json'];

test('an answer without a body has no length either, and each other one has its own', () => {
  for (const statusCode of [204, 304])
    expect(answered({ statusCode, body: 'x' })).toEqual([statusCode, TYPE, 'no body']);
  expect(answered({ statusCode: 200, body: 'ü' })).toEqual([200, [...TYPE, 'content-length', '2'], 'ü']);
  expect(answered({ statusCode: '599' })).toEqual([599, [...TYPE, 'content-length', '0'], '']);
  for (const statusCode of [199, 600, 200.5]) expect(() => answered({ statusCode })).toThrow('statusCode');
});

test("a type that the function gives stays, and the connection's own headers are none of its", () => {
  const own = ['Connection', 'Content-Length', 'Keep-Alive', 'Transfer-Encoding', 'Upgrade', 'Trailer'];
  const headers = { 'Content-Type': 'text/plain', ...Object.fromEntries(own.map((name) => [name, '1'])) };
  expect(answered({ statusCode: 200, headers, body: 'x' })).toEqual([
    200,
    ['Content-Type', 'text/plain', 'content-length', '1'],
    'x',
  ]);
});

test('only a client that asks too often gets a time to wait', () => {
  const headersOf = (status: number) => {
    const answer = new Answer();
    sendGatewayError(answer as unknown as ServerResponse, status, 'word', 'r');
    expect(answer.sent[2]).toBe('{"error":"word","request_id":"r"}');
    return answer.sent[1] as Record<string, unknown>;
  };
  expect(headersOf(429)).toMatchObject({ 'retry-after': '1', 'x-request-id': 'r', 'content-length': 33 });
  expect(headersOf(403)).not.toHaveProperty('retry-after');
});

test('a failure has the status of the cloud, or cuts off what has begun, and is logged unless the client has gone', () => {
  const failed = (error: unknown, begun: Partial<Answer> = {}) => {
    const answer = Object.assign(new Answer(), begun);
    const request = { method: 'GET', url: '/a?secret' } as IncomingMessage;
    const lines: string[] = [];
    const exchange = { request, response: answer as unknown as ServerResponse, requestId: 'r' };
    failRequest(exchange, error, (line) => lines.push(line));
    return [answer.sent[0], lines.map((line) => line.split('\n')[0])];
  };
  expect(failed(new TimedOutError(5))).toEqual([
    504,
    ['GET /a failed (request r): TimedOutError: took longer than 5 ms'],
  ]);
  expect(failed(new LambdaThrottledError(1))[0]).toBe(500);
  expect(failed('broken')).toEqual([502, ['GET /a failed (request r): broken']]);
  expect(failed(new ClientGoneError({}))).toEqual([502, []]);
  expect(failed(new Error('late'), { headersSent: true })[0]).toBe('cut off');
  expect(failed(new Error('late'), { destroyed: true })[0]).toBe('cut off');
});

test('bytes that are no request are answered while the client can read the answer', async () => {
  const answerTo = async (code: string) => {
    const socket = new PassThrough();
    rejectMalformed(Object.assign(new Error('no'), { code }), socket);
    return socket.destroyed ? 'cut off' : (await text(socket)).split('\r\n')[0];
  };
  expect(await answerTo('HPE_INVALID_METHOD')).toBe('HTTP/1.1 400 Bad Request');
  expect(await answerTo('HPE_HEADER_OVERFLOW')).toBe('HTTP/1.1 431 Request Header Fields Too Large');
  expect(await answerTo('ERR_HTTP_REQUEST_TIMEOUT')).toBe('HTTP/1.1 408 Request Timeout');
  expect(await answerTo('ECONNRESET')).toBe('cut off');
  const ended = new PassThrough();
  ended.end();
  rejectMalformed(new Error('no'), ended);
  expect(ended.destroyed).toBe(true);
});
