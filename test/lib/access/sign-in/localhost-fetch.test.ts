import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchLocalhost } from '../../../../lib/access/sign-in/localhost-fetch.ts';

const server = createServer((request, response) => {
  response
    .setHeader('set-cookie', ['a=1', 'b=2'])
    .writeHead(request.method === 'HEAD' ? 204 : 302)
    .end();
});
let port: number;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

it('finds a name under .localhost on this machine, and follows no redirect', async () => {
  const { status, headers } = await fetchLocalhost(`http://promptq-1.localhost:${port}/`);
  expect([status, headers.getSetCookie()]).toEqual([302, ['a=1', 'b=2']]);
});

it.each([
  ['another host', 'http://[::1]'],
  ['https', 'https://promptq-1.localhost'],
])('leaves %s to the resolver and to TLS', async (_, origin) => {
  await expect(fetchLocalhost(`${origin}:${port}/`)).rejects.toThrow('fetch failed');
});
