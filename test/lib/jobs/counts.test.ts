import { afterAll, beforeAll, expect, it } from 'vitest';
import { STATUSES, type Status } from '../../../lib/contract/schemas/job.ts';
import { type JobChange, JobCounts } from '../../../lib/jobs/counts.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../emulated-deployment.ts';

let deployment: EmulatedDeployment;
let counts: JobCounts;
beforeAll(async () => {
  deployment = await emulateDeployment();
  counts = new JobCounts(deployment.table, deployment.env.REGISTRY_TABLE);
});
afterAll(async () => await deployment.stop());

it('a batch counts once however it is repeated, cut anew or reordered, on several shards at once', async () => {
  const changes = randomChanges(400);
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
  const recount = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  for (const { before, after } of [...changes, ...changes]) {
    if (before !== undefined) recount[before] -= 1;
    if (after !== undefined) recount[after] += 1;
  }
  expect(await counts.read()).toEqual(recount);
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
