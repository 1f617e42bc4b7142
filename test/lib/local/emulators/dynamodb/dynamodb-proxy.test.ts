import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dynamodbProxy } from '../../../../../lib/local/emulators/dynamodb/dynamodb-proxy.ts';
import { newRunCredentials } from '../../../../../lib/local/run-access/run-credentials.ts';

const credentials = newRunCredentials();
const signer = new SignatureV4({
  credentials,
  region: 'us-east-1',
  service: 'dynamodb',
  sha256: Hash.bind(null, 'sha256'),
});

let emulator: Server;
let proxy: Server;
let connections: number;
/** What the emulator got. */
let got: { headers: IncomingHttpHeaders; body: string }[];
let written: (readonly string[])[];
/** A fault of the next connection to the emulator. */
let fault: Error | undefined;

const portOf = (server: Server) => (server.address() as AddressInfo).port;
beforeEach(async () => {
  [connections, got, written, fault] = [0, [], [], undefined];
  emulator = createServer((request, response) => {
    void text(request).then((body) => {
      got.push({ headers: request.headers, body });
      response.writeHead(body.includes('refuse') ? 400 : 200, {
        'content-type': 'application/x-amz-json-1.0',
        'access-control-allow-origin': '*',
        'x-amzn-requestid': 'r',
        vary: 'origin',
      });
      response.end('{"answered":true}');
    });
  });
  proxy = dynamodbProxy(
    credentials,
    async () => {
      if (fault !== undefined) throw fault;
      connections += 1;
      const socket = connect(portOf(emulator), '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
    (tables) => written.push(tables),
  );
  for (const server of [emulator, proxy]) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  for (const server of [proxy, emulator]) {
    server.closeAllConnections();
    server.close();
  }
});

async function send(action: string, body: string, more: Record<string, string> = {}) {
  const host = `127.0.0.1:${portOf(proxy)}`;
  const { headers } = await signer.sign({
    ...{ method: 'POST', protocol: 'http:', hostname: '127.0.0.1', port: portOf(proxy), path: '/', body },
    headers: { host, 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `DynamoDB_20120810.${action}` },
  });
  const { host: _host, ...signed } = headers;
  return await fetch(`http://${host}/`, { method: 'POST', headers: { ...signed, ...more }, body });
}

test('a signed request and its answer pass, without the headers of their connections and of browsers', async () => {
  const answer = await send('GetItem', '{"TableName":"Jobs"}', { 'x-other': '1' });
  expect([answer.status, await answer.json()]).toEqual([200, { answered: true }]);
  expect(answer.headers.get('x-amzn-requestid')).toBe('r');
  expect([answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')]).toEqual([null, null]);
  expect(answer.headers.get('keep-alive')).toBe('timeout=65');
  const { headers, body } = got[0] ?? { headers: {}, body: '' };
  expect(body).toBe('{"TableName":"Jobs"}');
  expect(Object.keys(headers).toSorted()).toEqual(
    ['authorization', 'connection', 'content-length', 'content-type', 'host', 'x-amz-date', 'x-amz-target'].toSorted(),
  );
  await send('GetItem', '{}');
  expect(connections).toBe(1);
});

test('a request that is not signed, or was changed, does not reach the emulator', async () => {
  const answer = await fetch(`http://127.0.0.1:${portOf(proxy)}/`, { method: 'POST', body: '{}' });
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('AccessDenied')]);
  expect((await send('PutItem', '{}', { 'x-amz-date': '20260101T000000Z' })).status).toBe(403);
  expect([got, written]).toEqual([[], []]);
});

test('what may have written is reported with its tables, once it is answered', async () => {
  await send('PutItem', '{"TableName": "Jobs"}');
  await send('TransactWriteItems', '{"a":{"TableName":"Jobs"},"b":{"TableName":"Registry"},"c":{"TableName":"Jobs"}}');
  await send('BatchWriteItem', '{"RequestItems":{"Jobs":[]}}');
  await send('Query', '{"TableName":"Jobs"}');
  for (const action of ['UpdateItem', 'DeleteItem', 'ExecuteStatement', 'BatchExecuteStatement'])
    await send(action, '{"TableName":"refuse"}');
  expect(written).toEqual([['Jobs'], ['Jobs', 'Registry'], [], ['refuse'], ['refuse'], ['refuse'], ['refuse']]);
});

test('a request is as long as DynamoDB takes at most, and one that the emulator cannot get is broken off', async () => {
  const most = 16_777_216;
  expect((await send('GetItem', 'x'.repeat(most))).status).toBe(200);
  await expect(send('GetItem', 'x'.repeat(most + 1))).rejects.toThrow('fetch failed');
  expect(got.map(({ body }) => body.length)).toEqual([most]);
  emulator.closeAllConnections();
  fault = new Error('the emulator is gone');
  await expect(send('PutItem', '{"TableName":"Jobs"}')).rejects.toThrow('fetch failed');
  expect(written).toEqual([]);
});
