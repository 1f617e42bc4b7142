import { BatchGetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { claim } from '../../../../lib/jobs/admission/claim.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

const SLOTS = 10;

/** Jobs of one project, of which the last are the best, and a worker whose slots claim by messages of the first. */
async function claimedTogether(profiles: readonly string[]) {
  const deployment = quietDeployment();
  for (const name of new Set(profiles)) await deployment.profiles.put({ name, agent: 'shell' });
  const ids = Array.from({ length: 2 * SLOTS }, (_, n) => jobIdOfKey(`together ${n}`));
  for (const [n, id] of ids.entries())
    await deployment.store({ id, priority: n + 1, profile: profiles[n % profiles.length] ?? 'shell' });
  deployment.calls.length = 0;
  const claims = await Promise.all(
    ids.slice(0, SLOTS).map((job) => {
      const message = { v: 1, band: 'high', project: 'local_project', job } as const;
      return claim({ ...deployment, pause: async () => undefined }, { message, handle: '', receives: 2 }, 'worker-1');
    }),
  );
  const count = (Command: new (input: never) => unknown) =>
    deployment.calls.filter((call) => call instanceof Command).length;
  return {
    claimed: claims.flatMap((result) => (result.kind === 'claimed' ? [result.job.id] : [])),
    reads: claims.map((result) => result.kind === 'claimed' && result.reads.profile?.name === result.job.profile),
    best: ids.slice(SLOTS),
    calls: { queries: count(QueryCommand), batches: count(BatchGetCommand), writes: count(UpdateCommand) },
    all: deployment.calls.length,
  };
}

it('slots that claim at the same time read once, and each claims another of the best jobs', async () => {
  const { claimed, reads, best, calls, all } = await claimedTogether(['shell']);
  expect(claimed.toSorted()).toEqual(best.toSorted());
  expect(reads).toEqual(Array.from({ length: SLOTS }, () => true));
  expect(calls).toEqual({ queries: 1, batches: 1, writes: SLOTS });
  expect(all).toBe(SLOTS + 2);
});

it('each slot gets the profile of its own job', async () => {
  const { claimed, reads } = await claimedTogether(['shell', 'other', 'third']);
  expect(claimed).toHaveLength(SLOTS);
  expect(reads).toEqual(Array.from({ length: SLOTS }, () => true));
});
