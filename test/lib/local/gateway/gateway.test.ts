import { afterEach, describe, expect, test } from 'vitest';
import { closeGateways, echoAll, gatewayWith, logged, raw } from './gateway-under-test.ts';

afterEach(closeGateways);

describe('buffered answers', () => {
  test('headers, repeated headers and status are sent', async () => {
    const gateway = await gatewayWith({
      'things.read': () => ({
        statusCode: 207,
        headers: { 'X-Number': 5, 'X-Both': 'single', 'Content-Length': '1', Connection: 'upgrade' },
        multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'], 'x-both': ['from multi'] },
        body: 'héllo',
      }),
    });
    const response = await fetch(`${gateway.url}/api/v1/things/1`);
    expect([response.status, await response.text()]).toEqual([207, 'héllo']);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('x-number')).toBe('5');
    expect(response.headers.get('x-both')).toBe('from multi');
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  test('a base64 body is sent as decoded bytes', async () => {
    const body = Buffer.from([0, 255, 1, 254]);
    const gateway = await gatewayWith({
      'things.read': () => ({ statusCode: 200, isBase64Encoded: true, body: body.toString('base64') }),
    });
    const response = await fetch(`${gateway.url}/api/v1/things/1`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(body);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('broken inside'))],
    ['throws at once', () => thrower()],
    ['returns nothing', () => undefined],
    ['returns a malformed answer', () => ({ statusCode: 'many', body: 5 })],
    ['sets a header that HTTP forbids', () => ({ statusCode: 200, headers: { 'x-a': 'b\r\nc: d' }, body: '' })],
    ['answers with more than Lambda takes', () => ({ statusCode: 200, body: 'x'.repeat(6_291_556) })],
  ])('a handler that %s causes a 502, and the log shows the reason', async (_what, handler) => {
    const gateway = await gatewayWith({ 'things.read': handler });
    const response = await fetch(`${gateway.url}/api/v1/things/1`);
    const body = (await response.json()) as Record<string, string>;
    expect(response.status).toBe(502);
    expect(body).toEqual({ error: 'internal_error', request_id: response.headers.get('x-request-id') });
    expect(logged.join()).toContain(body.request_id);
  });

  test('a handler that takes too long causes a 504', async () => {
    const gateway = await gatewayWith(
      { 'things.read': () => new Promise(() => undefined) },
      { limits: { integrationMs: 50 } },
    );
    const response = await fetch(`${gateway.url}/api/v1/things/1`);
    expect([response.status, await response.json()]).toEqual([
      504,
      { error: 'timed_out', request_id: response.headers.get('x-request-id') },
    ]);
  });
});

describe('requests that are too large', () => {
  test("an event over Lambda's limit is rejected, one just under it passes", async () => {
    const gateway = await gatewayWith({
      'things.create': (event) => ({ statusCode: 200, body: String(event.body?.length) }),
    });
    const post = async (length: number) =>
      await fetch(`${gateway.url}/api/v1/things`, { method: 'POST', body: 'x'.repeat(length) });
    expect((await post(6_280_000)).status).toBe(200);
    const refused = await post(6_291_456);
    expect([refused.status, await refused.json()]).toEqual([
      413,
      { error: 'Invalid request size', request_id: refused.headers.get('x-request-id') },
    ]);
  });

  test('an announced length over 10 MiB is rejected before a byte is sent', async () => {
    const gateway = await gatewayWith(echoAll);
    const head = `POST /api/v1/things HTTP/1.1\r\nHost: ${new URL(gateway.url).host}\r\nExpect: 100-continue\r\nContent-Length: ${10 * 1024 * 1024 + 1}\r\n\r\n`;
    const answer = await raw(gateway, head);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"error":"Invalid request size"');
  });
});

describe('invalid HTTP', () => {
  test('bytes that are not HTTP get a 400 in the shape of our errors', async () => {
    const gateway = await gatewayWith(echoAll);
    const answer = await raw(gateway, 'hello there\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('{"error":"the request is not valid HTTP","request_id":"');
  });

  test.each([
    ['names no host', 'Connection: close\r\n', 'the request names no host'],
    ['names two hosts', 'Connection: close\r\nHost: HOST\r\nHost: HOST\r\n', 'the request names two hosts'],
  ])('a request that %s is rejected in the shape of our errors', async (_, headers, error) => {
    const gateway = await gatewayWith(echoAll);
    const lines = headers.replaceAll('HOST', new URL(gateway.url).host);
    const answer = await raw(gateway, `GET /api/v1/things/1 HTTP/1.1\r\n${lines}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain(`{"error":"${error}","request_id":"`);
  });
});

test('closing cuts connections that wait for an answer', async () => {
  const called = Promise.withResolvers<void>();
  const gateway = await gatewayWith({
    'things.read': () => {
      called.resolve();
      return new Promise(() => undefined);
    },
  });
  const waiting = fetch(`${gateway.url}/api/v1/things/1`).catch(() => 'cut');
  await called.promise;
  await gateway.close();
  expect(await waiting).toBe('cut');
});

function thrower(): never {
  throw new Error('broken at once');
}

describe('throttling, as set for a stage', () => {
  test('answers requests over the limit with 429 in our shape, and a retry delay', async () => {
    const gateway = await gatewayWith(echoAll, { throttling: { rate: 0.001, burst: 2 } });
    const call = async () => await fetch(`${gateway.url}/api/v1/things/1`);
    expect([(await call()).status, (await call()).status]).toEqual([200, 200]);
    const refused = await call();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toEqual({
      error: 'too_many_requests',
      request_id: refused.headers.get('x-request-id'),
    });
  });
});
