import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { STATUSES, type Status } from '../../../../lib/contract/schemas/job.ts';
import { type JobChange, JobCounts } from '../../../../lib/stats/counting/counts.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../emulated-deployment.ts';

let deployment: EmulatedDeployment;
let counts: JobCounts;
beforeEach(async () => {
  deployment = await emulateDeployment();
  counts = new JobCounts(deployment.registry);
});
afterEach(async () => await deployment.stop());

it('a batch counts once however it is repeated, split differently or reordered, on several shards at once', async () => {
  const changes = randomChanges(2_000);
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

it('shards that are days older than the one that is counted are forgotten, others are not', async () => {
  const day = 24 * 3_600_000;
  const shardOf = (time: number) => `shardId-${String(time).padStart(20, '0')}-abcdef01`;
  const start = Date.parse('2026-11-20T00:00:00.000Z');
  for (const age of [0, 1, 4])
    await counts.apply(shardOf(start + age * day), [{ sequence: '1', before: undefined, after: 'DRAFT' }]);
  const kept = await Promise.all([0, 1, 4].map((age) => counts.checkpoint(shardOf(start + age * day))));
  expect(kept).toEqual([undefined, '1', '1']);
});

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
