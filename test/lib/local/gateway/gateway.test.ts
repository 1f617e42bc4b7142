import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ERRORS } from '../../../../lib/contract/errors.ts';
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

  test('a base64 body is sent as the bytes it stands for', async () => {
    const body = Buffer.from([0, 255, 1, 254]);
    const gateway = await gatewayWith({
      'things.read': () => ({ statusCode: 200, isBase64Encoded: true, body: body.toString('base64') }),
    });
    const response = await fetch(`${gateway.url}/api/v1/things/1`);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(body);
  });

  test('204 has no body and no length', async () => {
    const gateway = await gatewayWith({ 'things.read': () => ({ statusCode: 204, body: 'no' }) });
    const response = await fetch(`${gateway.url}/api/v1/things/1`);
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([204, null, '']);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('broken inside'))],
    ['throws at once', () => thrower()],
    ['returns nothing', () => undefined],
    ['returns a malformed answer', () => ({ statusCode: 'many', body: 5 })],
    ['sets a header that HTTP forbids', () => ({ statusCode: 200, headers: { 'x-a': 'b\r\nc: d' }, body: '' })],
    ['answers with more than Lambda takes', () => ({ statusCode: 200, body: 'x'.repeat(6_291_556) })],
  ])('a handler that %s is a 502, and the log shows the reason', async (_what, handler) => {
    const gateway = await gatewayWith({ 'things.read': handler });
    const response = await fetch(`${gateway.url}/api/v1/things/1`);
    const body = (await response.json()) as Record<string, string>;
    expect(response.status).toBe(502);
    expect(body).toEqual({ error: 'internal_error', request_id: response.headers.get('x-request-id') });
    expect(logged.join()).toContain(body.request_id);
  });

  test("an answer just under Lambda's limit passes", async () => {
    const length = 6_291_556 - JSON.stringify({ statusCode: 200, body: '' }).length;
    const gateway = await gatewayWith({ 'things.read': () => ({ statusCode: 200, body: 'x'.repeat(length) }) });
    const response = await fetch(`${gateway.url}/api/v1/things/1`);
    expect((await response.text()).length).toBe(length);
  });

  test('a handler that takes too long is a 504', async () => {
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

  test('a function that fails to load is a 502, and is loaded again by the next call', async () => {
    let calls = 0;
    const load = async () => {
      calls += 1;
      if (calls === 1) throw new Error('syntax error');
      return { handler: () => ({ statusCode: 200, body: 'loaded' }) };
    };
    const gateway = await gatewayWith({}, { load });
    const url = `${gateway.url}/api/v1/things/1`;
    expect((await fetch(url)).status).toBe(502);
    expect(await (await fetch(url)).text()).toBe('loaded');
    expect(await (await fetch(url)).text()).toBe('loaded');
    expect(calls).toBe(2);
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

  test('escaping counts: quotes take two bytes in the event', async () => {
    const gateway = await gatewayWith(echoAll);
    const response = await fetch(`${gateway.url}/api/v1/things`, { method: 'POST', body: '"'.repeat(3_200_000) });
    expect(response.status).toBe(413);
  });

  test('an announced length over 10 MiB is rejected before a byte is sent', async () => {
    const gateway = await gatewayWith(echoAll);
    const head = `POST /api/v1/things HTTP/1.1\r\nHost: ${new URL(gateway.url).host}\r\nExpect: 100-continue\r\nContent-Length: ${10 * 1024 * 1024 + 1}\r\n\r\n`;
    const answer = await raw(gateway, head);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"error":"Invalid request size"');
  });

  test('a client that expects it gets a 100 Continue', async () => {
    const gateway = await gatewayWith(echoAll);
    const head = `POST /api/v1/things HTTP/1.1\r\nHost: ${new URL(gateway.url).host}\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
    expect(await raw(gateway, head, 'hi')).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });

  test('a body without a length is rejected at 10 MiB, and a client that keeps sending still reads the answer', async () => {
    const gateway = await gatewayWith(echoAll);
    const { status, body, sent } = await postEndlessly(`${gateway.url}/api/v1/things`);
    expect([status, JSON.parse(body)]).toMatchObject([413, { error: 'Invalid request size' }]);
    expect(sent).toBeGreaterThan(10 * 1024 * 1024);
  });

  test('memory does not grow with what a rejected client sends', async () => {
    const gateway = await gatewayWith(echoAll);
    const before = process.memoryUsage().arrayBuffers;
    await postEndlessly(`${gateway.url}/api/v1/things`);
    globalThis.gc?.();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
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

  test('an unknown expectation is ignored', async () => {
    const gateway = await gatewayWith(echoAll);
    const lines = `Connection: close\r\nHost: ${new URL(gateway.url).host}\r\nExpect: a-pony\r\n`;
    const answer = await raw(gateway, `GET /api/v1/things/1 HTTP/1.1\r\n${lines}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test.each([
    ['headers', ''],
    ['body', 'Content-Length: 100\r\n\r\nhalf'],
  ])('a request whose %s do not arrive in time gets the documented 408', async (_, rest) => {
    const gateway = await gatewayWith(echoAll, { limits: { arrivalMs: 100 } });
    const answer = await raw(gateway, `POST /api/v1/things HTTP/1.1\r\nHost: ${new URL(gateway.url).host}\r\n${rest}`);
    const { status, word } = ERRORS.request_timeout;
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} Request Timeout\\r\\n`));
    expect(answer).toContain(`{"error":"${word}","request_id":"`);
  });

  test('oversized headers get a 431', async () => {
    const gateway = await gatewayWith(echoAll);
    const answer = await raw(
      gateway,
      `GET / HTTP/1.1\r\nHost: ${new URL(gateway.url).host}\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });

  test('the gateway survives a client that disconnects in the middle of its body', async () => {
    const gateway = await gatewayWith(echoAll);
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /api/v1/things HTTP/1.1\r\nHost: ${new URL(gateway.url).host}\r\nContent-Length: 100\r\n\r\nhalf`,
    );
    socket.destroy();
    await once(socket, 'close');
    expect((await fetch(`${gateway.url}/api/v1/things/1`)).status).toBe(200);
    expect(logged).toEqual([]);
  });
});

test('a port that is taken is an error with that code', async () => {
  const first = await gatewayWith({});
  await expect(gatewayWith({}, { port: Number(new URL(first.url).port) })).rejects.toMatchObject({
    code: 'EADDRINUSE',
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

async function postEndlessly(
  url: string,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string; sent: number }> {
  const request = httpRequest(url, { method: 'POST' });
  const block = Buffer.alloc(64 * 1024, 'x');
  let sent = 0;
  let over = false;
  const pump = () => {
    while (!over && !request.destroyed) {
      sent += block.length;
      if (!request.write(block)) return;
    }
  };
  request.on('drain', pump).on('error', () => undefined);
  pump();
  const [response] = await once(request, 'response');
  let body = '';
  for await (const chunk of response) body += chunk;
  over = true;
  request.destroy();
  return { status: response.statusCode, headers: response.headers, body, sent };
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
