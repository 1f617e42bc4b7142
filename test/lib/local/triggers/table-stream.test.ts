import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DynamodbEmulator, startDynamodbEmulator } from '../../../../lib/local/emulators/dynamodb-emulator.ts';
import { startObjectAndQueueEmulator } from '../../../../lib/local/emulators/object-and-queue-emulator.ts';
import { createResources } from '../../../../lib/local/run/resources.ts';
import { newRunCredentials } from '../../../../lib/local/run-access/run-credentials.ts';
import type { WindowedEvent } from '../../../../lib/local/triggers/table-stream.ts';
import {
  followTableStream,
  type TableStream,
  type TableStreamOptions,
} from '../../../../lib/local/triggers/table-stream.ts';

const credentials = newRunCredentials();
let folder: string;
let dynamodb: DynamodbEmulator;
let client: DynamoDBClient;
let following: TableStream | undefined;
const events: WindowedEvent[] = [];
const logged: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-stream-'));
  dynamodb = await startDynamodbEmulator({
    credentials,
    folder: join(folder, 'dynamodb'),
    env: {},
    log: () => undefined,
  });
  const objects = await startObjectAndQueueEmulator(join(folder, 's3'), credentials);
  await createResources({ dynamodb: dynamodb.endpoint, objectsAndQueues: objects.endpoint, credentials });
  await objects.close();
  client = new DynamoDBClient({
    endpoint: dynamodb.endpoint,
    region: 'us-east-1',
    credentials,
  });
  events.length = 0;
  logged.length = 0;
});

afterEach(async () => {
  await following?.stop();
  following = undefined;
  await dynamodb.stop();
  await rm(folder, { recursive: true, force: true });
});

function follow(
  handler: (event: WindowedEvent) => unknown,
  position: () => Promise<string | undefined> = async () => undefined,
  { filters, ...reported }: Pick<TableStreamOptions, 'filters' | 'writes' | 'idleMs' | 'apartMs'> = {},
): void {
  following = followTableStream({
    endpoint: dynamodb.endpoint,
    credentials,
    table: 'Jobs',
    handler: async (event) => handler(event as WindowedEvent),
    position,
    ...(filters && { filters }),
    ...reported,
    log: (line) => logged.push(line),
    pollMs: 10,
  });
}

function collect(event: WindowedEvent): object {
  events.push(event);
  return { state: event.state };
}

async function put(id: string): Promise<void> {
  await client.send(
    new PutItemCommand({ TableName: 'Jobs', Item: { id: { S: id }, n: { N: '1' }, b: { B: Buffer.from('b') } } }),
  );
}

const records = () => events.flatMap((event) => event.Records);
const ids = () => records().map((record) => record.dynamodb?.Keys?.id?.S);

test('changes arrive in order, in the shape that Lambda gives them', async () => {
  await put('one');
  await put('two');
  await client.send(new DeleteItemCommand({ TableName: 'Jobs', Key: { id: { S: 'one' } } }));
  follow(collect);
  await expect.poll(ids).toEqual(['one', 'two', 'one']);
  expect(records()[0]).toMatchObject({
    eventName: 'INSERT',
    eventSource: 'aws:dynamodb',
    eventSourceARN: expect.stringContaining('/stream/'),
    dynamodb: {
      NewImage: { id: { S: 'one' }, n: { N: '1' }, b: { B: Buffer.from('b').toString('base64') } },
      SequenceNumber: expect.stringMatching(/^\d+$/),
      ApproximateCreationDateTime: expect.any(Number),
    },
  });
  expect(records()[2]).toMatchObject({ eventName: 'REMOVE', dynamodb: { OldImage: { id: { S: 'one' } } } });
});

test('a stream begins after the position that the handler has reached', async () => {
  await put('one');
  await put('two');
  follow(collect);
  await expect.poll(ids).toEqual(['one', 'two']);
  const reached = records()[0]?.dynamodb?.SequenceNumber;
  await following?.stop();
  events.length = 0;
  follow(collect, async () => reached);
  await expect.poll(ids).toEqual(['two']);
});

test('a failed batch is retried before later ones', async () => {
  let failures = 3;
  const firsts: unknown[] = [];
  follow((event) => {
    // A separate call without records signals the end of a window.
    if (event.Records.length === 0) return { state: {} };
    firsts.push(event.Records[0]?.dynamodb?.Keys?.id?.S);
    failures -= 1;
    if (failures >= 0) throw new Error('not yet');
    events.push(event);
    return { state: {} };
  });
  await put('one');
  await expect.poll(() => failures).toBeLessThan(3);
  await put('two');
  await expect.poll(() => ids().at(-1)).toBe('two');
  // Later records may come in the same call, but never before it.
  expect([ids(), firsts.slice(0, 4)]).toEqual([
    ['one', 'two'],
    ['one', 'one', 'one', 'one'],
  ]);
  expect(logged.filter((line) => line.includes('not yet')).length).toBe(3);
});
