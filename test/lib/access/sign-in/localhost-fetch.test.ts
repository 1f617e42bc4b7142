import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchLocalhost } from '../../../../lib/access/sign-in/localhost-fetch.ts';

const server = createServer((request, response) => {
  if (request.url === '/silent') return;
  if (request.url === '/echo?x=1')
    void text(request).then((body) => {
      const { authorization, host, connection, 'content-type': type } = request.headers;
      response.end(JSON.stringify({ method: request.method, authorization, host, connection, type, body }));
    });
  else
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
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('finds a name under .localhost on this machine, and follows no redirect', async () => {
  const { status, headers } = await fetchLocalhost(`http://promptq-1.localhost:${port}/`);
  expect([status, headers.getSetCookie()]).toEqual([302, ['a=1', 'b=2']]);
});

it('sends the method, headers and form as `fetch` does, over a connection that is not reused', async () => {
  const answer = await fetchLocalhost(`http://promptq-1.localhost:${port}/echo?x=1`, {
    ...{ method: 'POST', headers: { authorization: 'Basic eA==' } },
    body: new URLSearchParams({ code: 'a b' }),
  });
  expect(await answer.json()).toEqual({
    ...{ method: 'POST', authorization: 'Basic eA==', host: `promptq-1.localhost:${port}`, connection: 'close' },
    ...{ type: 'application/x-www-form-urlencoded;charset=UTF-8', body: 'code=a+b' },
  });
});

it('has no body to an answer without content', async () => {
  const answer = await fetchLocalhost(`http://promptq-1.localhost:${port}/`, { method: 'HEAD' });
  expect([answer.status, answer.body]).toEqual([204, null]);
});

it('ends with its signal', async () => {
  const signal = AbortSignal.timeout(20);
  await expect(fetchLocalhost(`http://promptq-1.localhost:${port}/silent`, { signal })).rejects.toThrow(/abort/);
});

it.each([
  ['another host', 'http://[::1]'],
  ['https', 'https://promptq-1.localhost'],
])('leaves %s to the resolver and to TLS', async (_, origin) => {
  await expect(fetchLocalhost(`${origin}:${port}/`)).rejects.toThrow('fetch failed');
});
