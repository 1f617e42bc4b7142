import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { objectClient, queueClient, tableClient } from '../../../../lib/platform/aws/clients.ts';
import { metricsIn, printedBy } from '../../../local-run/captured-lines.ts';

let server: Server;
/** What the table answers next: an error's name, or undefined for a success. */
const answers: (string | undefined)[] = [];
let requests = 0;
/** The time of the answers, if not this machine's. */
let date: string | undefined;

beforeAll(async () => {
  server = createServer((call, answer) => {
    call.resume();
    requests += 1;
    const name = answers.shift();
    if (date !== undefined) answer.setHeader('date', date);
    answer.writeHead(name === undefined ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' });
    answer.end(JSON.stringify(name === undefined ? {} : { __type: `com.amazonaws.dynamodb.v20120810#${name}` }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const read = async () => await tableClient().table.send(new GetCommand({ TableName: 'Jobs', Key: { id: '1' } }));

it('every throttled attempt is reported, although the SDK retries and succeeds in the end', async () => {
  answers.push('ProvisionedThroughputExceededException', 'ThrottlingException');
  requests = 0;
  const { lines } = await printedBy(read);
  expect(requests).toBe(3);
  expect(metricsIn(lines)).toEqual({ StorageThrottles: [1, 1] });
});

it('other errors are not reported', async () => {
  answers.push('ConditionalCheckFailedException');
  const { lines, result } = await printedBy(async () => await read().catch((error: Error) => error.name));
  expect(result).toBe('ConditionalCheckFailedException');
  expect(metricsIn(lines)).toEqual({});
});

it('no client copies inputs and outputs for a logger that it does not have', () => {
  const layers = (client: { readonly middlewareStack: { identify(): string[] } }) =>
    client.middlewareStack.identify().filter((layer) => layer.includes('loggerMiddleware'));
  // The name that the SDK gives it.
  expect(layers(new DynamoDBClient({}))).toHaveLength(1);
  for (const client of [tableClient().table, queueClient(), objectClient({ pathStyle: true })])
    expect(layers(client)).toEqual([]);
});

it('every client tries four times, and reports throttled attempts', async () => {
  for (const client of [tableClient().table, queueClient(), objectClient({ pathStyle: true })]) {
    expect(await client.config.maxAttempts()).toBe(4);
    expect(client.middlewareStack.identify().filter((layer) => layer.includes('throttleMetrics'))).toHaveLength(1);
  }
});

it("a clock follows the time of its client's table", async () => {
  const { table, clock } = tableClient();
  const hour = 3_600_000;
  date = new Date(Date.now() + hour).toUTCString();
  await table.send(new GetCommand({ TableName: 'Jobs', Key: { id: '1' } }));
  date = undefined;
  expect(clock.now() - Date.now()).toBeGreaterThan(hour / 2);
});
