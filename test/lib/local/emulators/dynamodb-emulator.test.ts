import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
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
import {
  type DynamodbEmulator,
  type DynamodbEmulatorOptions,
  startDynamodbEmulator,
} from '../../../../lib/local/emulators/dynamodb-emulator.ts';
import { newRunCredentials } from '../../../../lib/local/run-access/run-credentials.ts';

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

async function start(options: Partial<DynamodbEmulatorOptions> = {}): Promise<DynamodbEmulator> {
  const emulator = await startDynamodbEmulator({
    credentials,
    folder: join(folder, 'data'),
    env: {},
    log: (line) => logged.push(line),
    ...options,
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

/** The ports on which a process listens, as the network of another lists them. */
async function listeners(pid: number, network: number | 'self'): Promise<number[]> {
  const names = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(names.map(async (name) => await readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  const lines = (await readFile(`/proc/${network}/net/tcp`, 'utf8'))
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return lines
    .filter(([, , , state, , , , , , inode]) => state === '0A' && links.includes(`socket:[${inode}]`))
    .map(([, local]) => Number.parseInt(local?.split(':')[1] ?? '', 16));
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

test('data survives a restart', async () => {
  const first = await start();
  await createTable(clientOf(first));
  await put(clientOf(first), 'kept');
  await first.stop();
  expect(await has(clientOf(await start()), 'kept')).toBe(true);
});

test('without a separate network, no other process can connect to the emulator once it has started', async () => {
  const emulator = await start({ sharesNetwork: true });
  const client = clientOf(emulator);
  await createTable(client);
  await put(client, 'kept');
  const [port] = await listeners(emulator.pid() ?? 0, 'self');
  const other = fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' }).then(
    () => 'answered',
    () => 'not answered',
  );
  // What it has been asked since is answered, so what came before would have been.
  await Promise.all(Array.from({ length: 200 }, async (_, n) => await put(client, String(n))));
  expect(await has(client, '199')).toBe(true);
  process.kill(emulator.pid() ?? 0, 'SIGKILL');
  expect(await other).toBe('not answered');
  await expect.poll(async () => await has(client, 'kept').catch(() => false), { timeout: 30_000 }).toBe(true);
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
  expect(logged.join()).toContain('ended unexpectedly');
});

test('the emulator recovers from the crash that a multi-byte character in an expression causes', async () => {
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
  expect(logged.join()).toContain('ended unexpectedly');
});
