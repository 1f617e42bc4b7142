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
