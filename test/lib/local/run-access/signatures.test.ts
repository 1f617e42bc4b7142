import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newRunCredentials } from '../../../../lib/local/run-access/run-credentials.ts';
import { admitSigned, SignatureCheck } from '../../../../lib/local/run-access/signature-check.ts';

/** A server that answers 200 to what the run has signed. */
const credentials = newRunCredentials();
const MINUTE_MS = 60_000;
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((_request, response) => response.end('reached'));
  admitSigned(server, new SignatureCheck(credentials, ['s3']));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.close();
});

async function signedRequest({ path = '/bucket/key', signingDate = new Date(), secret = credentials.secretAccessKey }) {
  const signer = new SignatureV4({
    credentials: { ...credentials, secretAccessKey: secret },
    region: 'us-east-1',
    service: 's3',
    sha256: Hash.bind(null, 'sha256'),
    uriEscapePath: false,
  });
  const request = {
    method: 'GET',
    protocol: 'http:',
    hostname: '127.0.0.1',
    port,
    path,
    headers: { host: `127.0.0.1:${port}` },
  };
  return await signer.sign(request, { signingDate });
}

async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  const { host: _host, ...others } = headers;
  return (await fetch(`http://127.0.0.1:${port}${path}`, { headers: others })).status;
}

test.for([
  ['now', 0, 200],
  ['14 minutes ago', -14, 200],
  ['16 minutes ago', -16, 403],
  ['in 16 minutes', 16, 403],
] as const)('a request signed %s', async ([, minutes, status]) => {
  const { headers } = await signedRequest({ signingDate: new Date(Date.now() + minutes * MINUTE_MS) });
  expect(await statusOf('/bucket/key', headers)).toBe(status);
});

test('a signature is valid for one path, secret and set of headers', async () => {
  const { headers } = await signedRequest({});
  expect(await statusOf('/bucket/key', headers)).toBe(200);
  expect(await statusOf('/bucket/other', headers)).toBe(403);
  expect(await statusOf('/bucket/key?delete', headers)).toBe(403);
  expect(await statusOf('/bucket/key', { ...headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' })).toBe(403);
  expect(await statusOf('/bucket/key', { ...headers, origin: `http://127.0.0.1:${port}` })).toBe(403);
  expect(await statusOf('/bucket/key', (await signedRequest({ secret: 'another' })).headers)).toBe(403);
  expect(await statusOf('/bucket/key')).toBe(403);
});
