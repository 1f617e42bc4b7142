import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBody } from '../../../../lib/local/gateway/gateway-body.ts';

const MAX_BYTES = 10;

const server = createServer((incoming, response) => {
  void readBody(incoming, MAX_BYTES).then((body) => response.end(body === undefined ? 'too long' : String(body)));
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** What becomes of a body; one that is not announced comes in chunks. */
async function sent(body: string, { announced }: { announced: boolean }): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const headers = announced ? { 'content-length': body.length } : { 'transfer-encoding': 'chunked' };
  const outgoing = request({ port, host: '127.0.0.1', method: 'POST', headers });
  outgoing.end(body);
  const [response] = await once(outgoing, 'response');
  return await text(response);
}

it.for([true, false])('a body may be as long as allowed and not a byte longer (announced: %s)', async (announced) => {
  expect(await sent('x'.repeat(MAX_BYTES), { announced })).toBe('x'.repeat(MAX_BYTES));
  expect(await sent('x'.repeat(MAX_BYTES + 1), { announced })).toBe('too long');
});

it('a body that announces too much is refused before a byte of it is sent', async () => {
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-length': MAX_BYTES + 1 };
  const outgoing = request({ port, host: '127.0.0.1', method: 'POST', headers, agent: false });
  outgoing.on('error', () => undefined).flushHeaders();
  const [response] = await once(outgoing, 'response');
  expect(await text(response)).toBe('too long');
  outgoing.destroy();
});
