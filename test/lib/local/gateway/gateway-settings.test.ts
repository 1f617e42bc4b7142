import { afterEach, expect, test } from 'vitest';
import type { Gateway } from '../../../../lib/local/gateway/gateway.ts';
import { closeGateways, echoAll, gatewayWith, raw } from './gateway-under-test.ts';

afterEach(closeGateways);

const READ = '/api/v1/things/1';
const portOf = ({ url }: Gateway) => Number(new URL(url).port);
/** The first line of the answer to a request with this Host header. */
async function statusFor(gateway: Gateway, host: string, path = READ): Promise<string> {
  const answer = await raw(gateway, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return answer.split(' ')[1] ?? '';
}

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

test("pages are served under the browsers' host name only, the API under every allowed name", async () => {
  const gateway = await gatewayWith(echoAll, { browserName: 'own.localhost' });
  const [own, other] = [`own.localhost:${portOf(gateway)}`, `127.0.0.1:${portOf(gateway)}`];
  expect([await statusFor(gateway, own, '/jobs'), await statusFor(gateway, own)]).toEqual(['200', '200']);
  expect(await statusFor(gateway, other)).toBe('200');
  expect(['302', '403']).toContain(await statusFor(gateway, other, '/jobs'));
});
