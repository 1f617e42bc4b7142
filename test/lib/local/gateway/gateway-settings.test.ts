import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { GATEWAY_LIMITS, type Gateway } from '../../../../lib/local/gateway/gateway.ts';
import { closeGateways, echoAll, gatewayWith, logged, raw } from './gateway-under-test.ts';
import { writing } from './streaming-under-test.ts';

afterEach(closeGateways);

const READ = '/api/v1/things/1';
const portOf = ({ url }: Gateway) => Number(new URL(url).port);
/** The first line of the answer to a request with this Host header. */
async function statusFor(gateway: Gateway, host: string, path = READ): Promise<string> {
  const answer = await raw(gateway, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return answer.split(' ')[1] ?? '';
}

test('the limits are those of CloudFront, API Gateway and Lambda', () => {
  expect(GATEWAY_LIMITS).toEqual({
    bodyBytes: 10_485_760,
    eventBytes: 6_291_456,
    answerBytes: 6_291_556,
    integrationMs: 29_000,
    streamMs: 900_000,
    streamBytes: 209_715_200,
    silenceMs: 60_000,
    arrivalMs: 300_000,
  });
});

test('a connection is kept for longer than clients keep theirs', async () => {
  const gateway = await gatewayWith(echoAll);
  expect((await fetch(gateway.url + READ)).headers.get('keep-alive')).toBe('timeout=65');
});

test('pages go to the site; the API and the sign-in do not', async () => {
  const gateway = await gatewayWith(echoAll, {
    site: async (_request, response, path) => {
      response.end(`site ${path}`);
      return await Promise.resolve();
    },
  });
  const read = async (path: string) => await (await fetch(gateway.url + path)).text();
  expect([await read('/jobs?a=1'), await read('/api-tokens')]).toEqual(['site /jobs', 'site /api-tokens']);
  for (const path of ['/api', '/api/v2', '/auth', '/auth/sign-in']) expect(await read(path)).toContain('"resource"');
});

test('a gateway answers under loopback, localhost and its own hosts only', async () => {
  const gateway = await gatewayWith(echoAll, { hosts: ['promptq.example.com'] });
  const port = portOf(gateway);
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, 'promptq.example.com', `promptq.example.com:${port}`];
  expect(await Promise.all(hosts.map((host) => statusFor(gateway, host)))).toEqual(['200', '200', '200', '403']);
  // An old client may name no host, which is not this one then.
  const answer = await raw(gateway, `GET ${READ} HTTP/1.0\r\n\r\n`);
  expect(answer).toMatch(
    /^HTTP\/1\.1 403 [\s\S]+"this host name is not the service's; PROMPTQ_PUBLIC_ORIGIN can name it"/,
  );
});

test('pages are answered under the name for browsers only, the API under the others too', async () => {
  const gateway = await gatewayWith(echoAll, { browserName: 'own.localhost' });
  const [own, other] = [`own.localhost:${portOf(gateway)}`, `127.0.0.1:${portOf(gateway)}`];
  expect([await statusFor(gateway, own, '/jobs'), await statusFor(gateway, own)]).toEqual(['200', '200']);
  expect(await statusFor(gateway, other)).toBe('200');
  expect(['302', '403']).toContain(await statusFor(gateway, other, '/jobs'));
});

test('programs that look for metadata get JSON at every host, and no page', async () => {
  const site = async () => await Promise.reject(new Error('asked'));
  const gateway = await gatewayWith(echoAll, { browserName: 'own.localhost', site });
  for (const path of ['/.well-known/oauth-protected-resource', '/register'])
    for (const host of ['own.localhost', '127.0.0.1']) {
      const head = `GET ${path} HTTP/1.1\r\nHost: ${host}:${portOf(gateway)}\r\nConnection: close\r\n\r\n`;
      expect(await raw(gateway, head)).toMatch(/^HTTP\/1\.1 404 [\s\S]+application\/json[\s\S]+{"error":"not_found",/);
    }
});

test('an event may be as long as allowed and not a byte longer', async () => {
  const read = async (eventBytes: number) => {
    const gateway = await gatewayWith(echoAll, { limits: { eventBytes } });
    return await fetch(gateway.url + READ);
  };
  const bytes = Buffer.byteLength(await (await read(10_000)).text());
  expect([(await read(bytes)).status, (await read(bytes - 1)).status]).toEqual([200, 413]);
});

test('a body that is announced may be as long as allowed', async () => {
  const gateway = await gatewayWith(echoAll, { limits: { bodyBytes: 2 } });
  const post = async (length: number) => {
    const lines = [`Host: 127.0.0.1:${portOf(gateway)}`, 'Connection: close', 'Expect: 100-continue'];
    const head = `POST /api/v1/things HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: ${length}\r\n\r\n`;
    return (await raw(gateway, head, 'x'.repeat(length))).split(' ')[1];
  };
  expect([await post(2), await post(3)]).toEqual(['100', '413']);
});

test('clients above the number that may be connected are cut off, and reported once', async () => {
  const gateway = await gatewayWith(echoAll, { maxConnections: 1 });
  const first = connect(portOf(gateway), '127.0.0.1');
  await once(first, 'connect');
  for (let further = 0; further < 2; further += 1) {
    const cut = connect(portOf(gateway), '127.0.0.1').resume();
    await once(cut, 'close');
  }
  first.destroy();
  expect(logged).toEqual(['clients are cut off: 1 are connected, which is the most']);
});

test('closing ends the functions that stream, and the log says nothing of it', async () => {
  const [began, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stream = writing(async (out) => {
    out.on('close', ended.resolve);
    began.resolve();
    return await new Promise(() => undefined);
  });
  const gateway = await gatewayWith(
    {},
    {
      routes: [{ id: 'logs.read', method: 'GET', path: '/logs', mode: 'stream' }],
      load: async () => await Promise.resolve({ handler: stream() }),
    },
  );
  const answer = fetch(`${gateway.url}/api/v1/logs`).catch(() => 'cut');
  await began.promise;
  await gateway.close();
  await ended.promise;
  expect([await answer, logged]).toEqual(['cut', []]);
});
