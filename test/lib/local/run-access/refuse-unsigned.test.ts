import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newRunCredentials } from '../../../../lib/local/run-access/run-credentials.ts';
import { admitSigned, SignatureCheck } from '../../../../lib/local/run-access/signature-check.ts';

let server: Server;
let reached = 0;
beforeAll(async () => {
  server = createServer((_request, response) => {
    reached += 1;
    response.end();
  });
  admitSigned(server, new SignatureCheck(newRunCredentials(), ['dynamodb', 's3']));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

async function ask(method: string, headers: Record<string, string> = {}, body?: Buffer) {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', method, headers, path: '/bucket/key' }).end(body);
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  const { 'content-type': type, 'content-length': length, connection } = answer.headers;
  return { status: answer.statusCode, type, length: Number(length), connection, text: await text(answer) };
}

const MESSAGE = "This is an emulator of a local run. It answers only requests signed with the run's own credentials.";
const JSON_TEXT = JSON.stringify({ __type: 'com.amazon.coral.service#AccessDenied', message: MESSAGE });
const XML_TEXT = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${MESSAGE}</Message></Error>`;
const JSON_TYPE = 'application/x-amz-json-1.0';

test.for([
  ['of the tables', 'POST', { 'x-amz-target': 'DynamoDB_20120810.GetItem' }, JSON_TYPE, JSON_TEXT],
  ['of a browser that asks what is allowed', 'OPTIONS', {}, JSON_TYPE, JSON_TEXT],
  ['of the objects', 'GET', {}, 'application/xml', XML_TEXT],
] as const)(
  'an unsigned request %s is refused in the format of its service',
  async ([, method, headers, type, words]) => {
    const answer = await ask(method, headers);
    expect(answer).toEqual({ status: 403, type, text: words, length: words.length, connection: 'close' });
    expect(reached).toBe(0);
  },
);
