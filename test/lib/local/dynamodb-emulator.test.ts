import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DynamodbEmulator, startDynamodbEmulator } from '../../../lib/local/dynamodb-emulator.ts';
import { newRunCredentials } from '../../../lib/local/run-access/run-credentials.ts';

const credentials = newRunCredentials();
let folder: string;
const started: DynamodbEmulator[] = [];
const logged: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-dynamodb-'));
  logged.length = 0;
});

afterEach(async () => {
  for (const emulator of started.splice(0)) await emulator.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<DynamodbEmulator> {
  const emulator = await startDynamodbEmulator({
    credentials,
    folder: join(folder, 'data'),
    env: {},
    log: (line) => logged.push(line),
  });
  started.push(emulator);
  return emulator;
}

function clientOf({ endpoint }: DynamodbEmulator, maxAttempts = 10): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials,
    maxAttempts,
  });
}

const TableName = 'Things';

async function createTable(client: DynamoDBClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    }),
  );
}

async function put(client: DynamoDBClient, id: string): Promise<void> {
  await client.send(new PutItemCommand({ TableName, Item: { id: { S: id } } }));
}

async function has(client: DynamoDBClient, id: string): Promise<boolean> {
  return (
    (await client.send(new GetItemCommand({ TableName, Key: { id: { S: id } }, ConsistentRead: true }))).Item !==
    undefined
  );
}

test('what was written is there after a stop and a new start', async () => {
  const first = await start();
  await createTable(clientOf(first));
  await put(clientOf(first), 'kept');
  await first.stop();
  expect(await has(clientOf(await start()), 'kept')).toBe(true);
});

test('an emulator that was killed is started again on the same address, with all that it had acknowledged', async () => {
  const emulator = await start();
  const client = clientOf(emulator);
  await createTable(client);
  await put(client, 'kept');
  const before = emulator.pid();
  process.kill(before ?? 0, 'SIGKILL');
  await expect.poll(async () => await has(client, 'kept').catch(() => false)).toBe(true);
  await expect.poll(() => emulator.pid()).not.toBe(before);
  expect(logged.join()).toContain('ended by itself');
});

test('a character of several bytes in an expression, which ends the emulator, ends it for a moment only', async () => {
  const emulator = await start();
  const client = clientOf(emulator);
  await createTable(client);
  const fatal = new UpdateItemCommand({
    TableName,
    Key: { id: { S: 'x' } },
    UpdateExpression: 'SET a = :ä',
    ExpressionAttributeValues: { ':ä': { S: 'b' } },
  });
  await clientOf(emulator, 1)
    .send(fatal)
    .catch(() => undefined);
  await expect
    .poll(
      async () =>
        await put(client, 'after').then(
          () => true,
          () => false,
        ),
    )
    .toBe(true);
  expect(logged.join()).toContain('ended by itself');
});

test('stopping right after it was killed leaves no emulator behind', async () => {
  const emulator = await start();
  process.kill(emulator.pid() ?? 0, 'SIGKILL');
  await emulator.stop();
  await expect(fetch(emulator.endpoint)).rejects.toThrow();
});

test('stopping twice is harmless', async () => {
  const emulator = await start();
  await emulator.stop();
  await emulator.stop();
});

test('it listens on loopback only', async () => {
  const { port } = new URL((await start()).endpoint);
  // Another program can take the port on all other addresses only if nobody listens on them.
  const other = createServer();
  other.listen(Number(port), '127.0.0.2');
  await once(other, 'listening');
  other.close();
});

test('an endpoint that somebody else runs is taken as it is, and nothing is started', async () => {
  const externalEndpoint = 'http://127.0.0.1:1';
  const emulator = await startDynamodbEmulator({
    credentials,
    folder,
    env: {},
    log: () => undefined,
    externalEndpoint,
  });
  expect([emulator.endpoint, emulator.pid()]).toEqual([externalEndpoint, undefined]);
  await emulator.stop();
});

test('an emulator that can not start says why', async () => {
  await expect(
    startDynamodbEmulator({ credentials, folder: '/dev/null/x', env: {}, log: () => undefined }),
  ).rejects.toThrow('/dev/null');
});
