import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { JobStore } from '../../../../lib/jobs/store/job-store.ts';
import { type DynamodbEmulator, startDynamodbEmulator } from '../../../../lib/local/emulators/dynamodb-emulator.ts';
import { startObjectAndQueueEmulator } from '../../../../lib/local/emulators/object-and-queue-emulator.ts';
import { createResources } from '../../../../lib/local/run/resources.ts';
import { newRunCredentials } from '../../../../lib/local/run-access/run-credentials.ts';
import {
  followTableStream,
  type TableStream,
  type TableStreamOptions,
} from '../../../../lib/local/triggers/table-stream.ts';
import type { WindowedEvent } from '../../../../lib/local/triggers/tumbling-window.ts';
import { COUNTED_RECORDS } from '../../../../lib/stats/counting/stream-filter.ts';
import { aJob } from '../../jobs/a-job.ts';

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

test('every decided change of a job passes the filter of the counts, and no heartbeat does', async () => {
  const table = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const jobs = new JobStore(table, 'Jobs');
  const queued = aJob({ id: jobIdOfKey('filtered') });
  await jobs.create(queued);
  const running: Job = { ...queued, status: 'RUNNING', attempt: 1, lease_until: '2026-11-20T10:00:30.000Z' };
  await jobs.apply(queued, running);
  const beat = await jobs.touch(running, { lease_until: '2026-11-20T10:00:40.000Z' });
  // The decision missed the heartbeat.
  const asked = await jobs.apply({ ...running, version: queued.version + 1 }, { ...running, reason: 'cancelling' });
  await jobs.touch(running, { watched_until: '2026-11-20T10:00:50.000Z' });
  // A writer of an earlier version leaves the mark.
  const end = { Key: { id: queued.id }, ExpressionAttributeNames: { '#status': 'status' }, TableName: 'Jobs' };
  const set = (status: string) => ({
    ...end,
    UpdateExpression: 'SET #status = :s',
    ExpressionAttributeValues: { ':s': status },
  });
  await table.send(new UpdateCommand(set('QUEUED')));
  await table.send(new UpdateCommand(set('RUNNING')));
  await client.send(new DeleteItemCommand({ TableName: 'Jobs', Key: { id: { S: queued.id } } }));
  follow(collect, undefined, { filters: COUNTED_RECORDS });
  await expect.poll(() => records().at(-1)?.eventName).toBe('REMOVE');
  expect([beat !== undefined, asked.applied]).toEqual([true, true]);
  const image = (values: Record<string, { S?: string }> | undefined) =>
    [values?.status?.S, values?.reason?.S].join(' ');
  expect(records().map(({ dynamodb }) => image(dynamodb?.NewImage))).toEqual([
    'QUEUED waiting_for_worker',
    'RUNNING waiting_for_worker',
    'RUNNING cancelling',
    'QUEUED cancelling',
    'RUNNING cancelling',
    ' ',
  ]);
});

test('later changes arrive while it follows', async () => {
  follow(collect);
  await put('one');
  await expect.poll(ids).toEqual(['one']);
  await put('two');
  await expect.poll(ids).toEqual(['one', 'two']);
});

test('a stream whose writes are reported is read after each, and when a window ends', async () => {
  const { writes } = dynamodb;
  follow(collect, undefined, { writes, idleMs: 3_600_000 });
  for (const id of ['one', 'two']) {
    await put(id);
    await expect.poll(() => ids().at(-1)).toBe(id);
    await expect.poll(() => events.at(-1)?.isFinalInvokeForWindow).toBe(true);
  }
  expect(ids()).toEqual(['one', 'two']);
});

test('a busy stream is not read at once again, so that its records come together', async () => {
  const { writes } = dynamodb;
  follow(collect, undefined, { writes, idleMs: 3_600_000, apartMs: 3_600_000 });
  await put('one');
  await expect.poll(ids).toEqual(['one']);
  const slow = following;
  const known = ids();
  const others: unknown[] = [];
  follow(({ Records }) => void others.push(...Records), undefined, { writes, apartMs: 0 });
  for (const id of ['two', 'three']) {
    await put(id);
    await expect.poll(() => others.length).toBeGreaterThan(id === 'two' ? 1 : 2);
  }
  await slow?.stop();
  expect(ids()).toEqual(known);
});

test('a read reports no write, and a write only one of its tables', async () => {
  const { writes } = dynamodb;
  const read = async () => await client.send(new GetItemCommand({ TableName: 'Jobs', Key: { id: { S: 'one' } } }));
  const registered = (id: string) => ({ TableName: 'Registry', Item: { kind: { S: 'x' }, id: { S: id } } });
  const register = async (id: string) => await client.send(new PutItemCommand(registered(id)));
  await put('one');
  await expect.poll(() => writes?.count('Jobs')).toBeGreaterThan(0);
  expect(writes?.count('Registry')).toBe(0);
  const known = writes?.count('Jobs') ?? 0;
  // More than are reported together.
  for (let n = 0; n < 100; n += 1) await Promise.all([read(), register(String(n))]);
  await expect.poll(() => writes?.count('Registry')).toBeGreaterThan(0);
  expect(writes?.count('Jobs')).toBe(known);
  const both = [registered('both'), { TableName: 'Jobs', Item: { id: { S: 'both' } } }];
  await client.send(new TransactWriteItemsCommand({ TransactItems: both.map((Put) => ({ Put })) }));
  await expect.poll(() => writes?.count('Jobs')).toBeGreaterThan(known);
  const before = writes?.count('Jobs') ?? 0;
  const batch = [{ PutRequest: { Item: { id: { S: 'batch' } } } }];
  await client.send(new BatchWriteItemCommand({ RequestItems: { Jobs: batch } }));
  await expect.poll(() => writes?.count('Jobs')).toBeGreaterThan(before);
});

test('the state passes from call to call of a window, and the end of the window is signaled', async () => {
  follow((event) => {
    events.push(event);
    return { state: { seen: Number(Reflect.get(event.state, 'seen') ?? 0) + event.Records.length } };
  });
  await put('one');
  await expect.poll(() => events.at(-1)?.isFinalInvokeForWindow).toBe(true);
  const last = events.at(-1);
  expect(last).toMatchObject({
    Records: [],
    state: { seen: 1 },
    shardId: expect.any(String),
    isWindowTerminatedEarly: false,
  });
  expect(Date.parse(last?.window.end ?? '') - Date.parse(last?.window.start ?? '')).toBe(1_000);
  // The next window begins with no state.
  await put('two');
  await expect.poll(() => ids().at(-1)).toBe('two');
  expect(events.findLast((event) => event.Records.length > 0)?.state).toEqual({});
});

test('it begins after the position that the handler has reached', async () => {
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

test('a batch that fails is retried, and nothing overtakes it', async () => {
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

test('records that the handler reports as failed fail the batch', async () => {
  follow((event) => {
    events.push(event);
    return events.length === 1 ? { batchItemFailures: [{ itemIdentifier: '1' }] } : {};
  });
  await put('one');
  await expect.poll(ids).toEqual(['one', 'one']);
});

test("it continues from the handler's position after the emulator was killed", async () => {
  let reached: string | undefined;
  follow(
    (event) => {
      events.push(event);
      reached = event.Records.at(-1)?.dynamodb?.SequenceNumber ?? reached;
      return {};
    },
    async () => reached,
  );
  await put('one');
  await expect.poll(ids).toEqual(['one']);
  process.kill(dynamodb.pid() ?? 0, 'SIGKILL');
  await expect
    .poll(
      async () =>
        await put('two').then(
          () => true,
          () => false,
        ),
    )
    .toBe(true);
  await expect.poll(() => new Set(ids())).toEqual(new Set(['one', 'two']));
});

test('stopping waits for the call in progress, and no other follows', async () => {
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  follow(async (event) => {
    events.push(event);
    entered.resolve();
    await leave.promise;
    return {};
  });
  await put('one');
  await entered.promise;
  let hasStopped = false;
  const stopping = following?.stop().then(() => {
    hasStopped = true;
  });
  await put('two');
  expect(hasStopped).toBe(false);
  leave.resolve();
  await stopping;
  expect(ids()).toEqual(['one']);
});
