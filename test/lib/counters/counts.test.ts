import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { STATUSES, type Status } from '../../../lib/contract/statuses.ts';
import { countedState, type JobChange, JobCounts } from '../../../lib/counters/counts.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { amount } from '../../vitest/amount.ts';

let deployment: EmulatedDeployment;
let counts: JobCounts;
beforeEach(async () => {
  deployment = await emulateDeployment();
  counts = new JobCounts(deployment.registry);
});
afterEach(async () => await deployment.stop());

it('a batch counts once however it is repeated, split differently or reordered, on several shards at once', async () => {
  const changes = randomChanges(amount(500, 2_000));
  const shards = ['shard-a', 'shard-b'];
  const cuts = (list: readonly JobChange[], size: number) =>
    Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
  await Promise.all(
    shards.map(async (shard) => {
      for (const batch of cuts(changes, 50)) {
        await counts.apply(shard, batch);
        await counts.apply(shard, batch);
      }
      for (const batch of cuts(changes, 7)) await counts.apply(shard, batch.toReversed());
    }),
  );
  const recount: Record<string, number> = Object.fromEntries(STATUSES.map((status) => [status, 0]));
  for (const { before, after } of [...changes, ...changes]) {
    if (before !== undefined) recount[before] = (recount[before] ?? 0) - 1;
    if (after !== undefined) recount[after] = (recount[after] ?? 0) + 1;
  }
  expect(await counts.read()).toEqual(recount);
});

it('a batch that arrives in another order counts up to its latest change', async () => {
  const [first, second] = [
    { sequence: '9', before: undefined, after: 'QUEUED' },
    { sequence: '10', before: 'QUEUED', after: 'RUNNING' },
  ] as const;
  await counts.apply('shard-a', [second, first]);
  expect(await counts.checkpoint('shard-a')).toBe('10');
  await counts.apply('shard-a', [second]);
  expect(await counts.read()).toMatchObject({ QUEUED: 0, RUNNING: 1 });
});

it('counts that were never written are zero, and reading them writes nothing', async () => {
  expect(Object.values(await counts.read())).toEqual(STATUSES.map(() => 0));
  const { Count } = await deployment.table.send(new ScanCommand({ TableName: deployment.env.REGISTRY_TABLE }));
  expect(Count).toBe(0);
});

it('the counts of many shards are spread over small items', async () => {
  const shards = Array.from({ length: 64 }, (_, at) => shardOf(start + at));
  for (const shard of shards) await counts.apply(shard, [{ sequence: '7', before: undefined, after: 'DRAFT' }]);
  const { Items = [] } = await deployment.table.send(new ScanCommand({ TableName: deployment.env.REGISTRY_TABLE }));
  expect(Items).toHaveLength(16);
  // A write of up to 1 KB costs one unit.
  for (const item of Items) expect(JSON.stringify(item).length).toBeLessThan(700);
  expect(await counts.read()).toMatchObject({ DRAFT: 64 });
  expect(await counts.checkpoint(shards[40] ?? '')).toBe('7');
});

it('shards that are days older than those that are counted are forgotten, others are not', async () => {
  const day = 24 * 3_600_000;
  const opened = (age: number, count: number) =>
    Array.from({ length: count }, (_, at) => shardOf(start + age * day + at));
  // So many of the newest that one is in each item.
  const shards = [opened(0, 16), opened(1, 16), opened(3, 160)];
  for (const shard of shards.flat()) await counts.apply(shard, [{ sequence: '1', before: undefined, after: 'DRAFT' }]);
  const kept = await Promise.all(
    shards.map(async (ofDay) => await Promise.all(ofDay.map((shard) => counts.checkpoint(shard)))),
  );
  expect(kept.map((ofDay) => new Set(ofDay))).toEqual([new Set([undefined]), new Set(['1']), new Set(['1'])]);
  expect(await counts.read()).toMatchObject({ DRAFT: 192 });
});

it('counting continues where an earlier version stopped, in its one item', async () => {
  const [begun, fresh] = [shardOf(start), shardOf(start + 1)];
  const Item = {
    kind: 'counter',
    id: 'jobs',
    counts: { DRAFT: 0, QUEUED: 5, RUNNING: 1, SUCCEEDED: 9, FAILED: 0, CANCELLED: 0 },
    checkpoints: { [begun]: '100' },
  };
  await deployment.table.send(new PutCommand({ TableName: deployment.env.REGISTRY_TABLE, Item }));
  expect([await counts.read(), await counts.checkpoint(begun)]).toEqual([Item.counts, '100']);
  const changes = ['99', '100', '101'].map((sequence) => ({ sequence, before: 'QUEUED', after: 'RUNNING' }) as const);
  for (const again of [counts, counts, new JobCounts(deployment.registry)]) await again.apply(begun, changes);
  await counts.apply(fresh, changes);
  expect(await counts.read()).toEqual({ ...Item.counts, QUEUED: 1, RUNNING: 5 });
  expect([await counts.checkpoint(begun), await counts.checkpoint(fresh)]).toEqual(['101', '101']);
});

it('jobs of a state that are counted apart belong to it, and states of a later version are counted too', async () => {
  const states = ['QUEUED', 'QUEUED-asked', 'PAUSED', 'PAUSED'];
  const changes = states.map((after, at) => ({ sequence: String(at + 1), before: undefined, after }));
  await counts.apply('shard-a', changes);
  expect(await counts.readStates()).toEqual({ QUEUED: 1, 'QUEUED-asked': 1, PAUSED: 2 });
  expect(await counts.read()).toMatchObject({ QUEUED: 2, RUNNING: 0, PAUSED: 2 });
});

it.each([
  [{ status: 'QUEUED' }, 'QUEUED'],
  [{ status: 'QUEUED', status_key: 'QUEUED#2026' }, 'QUEUED'],
  [{ status: 'QUEUED', status_key: 'QUEUED-asked#2026' }, 'QUEUED-asked'],
  [{ status: 'RUNNING', status_key: 'QUEUED-asked#2026' }, 'RUNNING'],
])('a job is counted in its state, apart if its key says so: %j', (job, state) => {
  expect(countedState(job)).toBe(state);
});

it('counts and checkpoints are read as they were written last', async () => {
  const { registry, table } = deployment;
  const send = async (command: GetCommand) => {
    const isRead = command instanceof GetCommand || (command as unknown) instanceof QueryCommand;
    return isRead && command.input.ConsistentRead !== true ? {} : await table.send(command);
  };
  const fresh = new JobCounts({ ...registry, table: { send } as unknown as DynamoDBDocumentClient });
  await fresh.apply('shard-a', [{ sequence: '7', before: undefined, after: 'DRAFT' }]);
  expect([await fresh.read(), await fresh.checkpoint('shard-a')]).toMatchObject([{ DRAFT: 1 }, '7']);
});

it('changes within a state cost neither a read nor a write', async () => {
  const sent: unknown[] = [];
  const send = async (command: unknown) => void sent.push(command);
  const watched = new JobCounts({ ...deployment.registry, table: { send } as unknown as DynamoDBDocumentClient });
  await watched.apply('shard-a', [{ sequence: '1', before: 'RUNNING', after: 'RUNNING' }]);
  expect(sent).toEqual([]);
});

const start = Date.parse('2026-11-20T00:00:00.000Z');

function shardOf(opened: number): string {
  return `shardId-${String(opened).padStart(20, '0')}-abcdef01`;
}

/** Random lives of jobs, with growing sequence numbers of the length that DynamoDB gives them. */
function randomChanges(length: number): JobChange[] {
  const live: Status[] = [];
  return Array.from({ length }, (_, n) => {
    const sequence = String(10n ** 20n + BigInt(n));
    const at = Math.floor(Math.random() * (live.length + 1));
    const before = live[at];
    const after = STATUSES[Math.floor(Math.random() * STATUSES.length)] ?? 'QUEUED';
    live[at] = after;
    return { sequence, before, after };
  });
}
