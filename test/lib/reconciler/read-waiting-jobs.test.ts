import { expect, it } from 'vitest';
import type { IndexedJob, JobsByStatus } from '../../../lib/jobs/dispatch/jobs-by-status.ts';
import { type ReconcilerContext, readWaiting } from '../../../lib/reconciler/reconcile-jobs.ts';
import { reconcile } from '../../../lib/reconciler/reconciler.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../jobs/a-job.ts';

const START = Date.parse('2026-11-20T10:00:00.000Z');
const NOW = START + 3_600_000;

/** A deployment in which so many jobs wait, one a project, created evenly in the last hour; the reads are recorded. */
function crowded(count: number, { random = 0.5, msPerJob = 0 } = {}) {
  const reads: { from: string | undefined; jobs: number }[] = [];
  let now = NOW;
  async function* byStatus(_status: string, options?: { from?: string }): AsyncGenerator<IndexedJob> {
    const read = { from: options?.from, jobs: 0 };
    reads.push(read);
    for (let n = 0; n < count; n += 1) {
      const created = new Date(START + Math.floor((n * 3_000_000) / count)).toISOString();
      if (created < (options?.from ?? '')) continue;
      read.jobs += 1;
      now += msPerJob;
      yield aJob({ id: `job_${n}`, project_id: `p${n}`, created_at: created, queued_at: created });
    }
  }
  const context = { byStatus, random: () => random, clock: { now: () => now } } as Partial<ReconcilerContext>;
  return { reads, context: context as ReconcilerContext };
}

it('a run reads the waiting jobs once', async () => {
  const deployment = quietDeployment();
  let reads = 0;
  const byStatus: JobsByStatus = (status, options) => {
    if (status === 'QUEUED') reads += 1;
    return deployment.byStatus(status, options);
  };
  await reconcile({ ...deployment, byStatus });
  expect(reads).toBe(1);
});

it('of very many it reads the oldest, and others from a random time on', async () => {
  const { reads, context } = crowded(200_000);
  const { stale } = await readWaiting(context);
  expect(reads.map(({ jobs }) => jobs)).toEqual([50_000, 25_000]);
  expect(stale.size).toBe(75_000);
  const oldest = START + (50_000 * 3_000_000) / 200_000;
  expect(Date.parse(reads[1]?.from ?? '') - (oldest + NOW) / 2).toBeCloseTo(0, -2);
});

it('each of very many is read by some run', async () => {
  const seen = new Set<string>();
  for (let random = 0; random < 1; random += 0.25) {
    const { context } = crowded(90_000, { random });
    for (const { id } of (await readWaiting(context)).stale.values()) seen.add(id);
  }
  expect(seen.size).toBe(90_000);
});

it('a slow table ends each part of the reading', async () => {
  const { reads, context } = crowded(30_000, { msPerJob: 10 });
  await readWaiting(context);
  expect(reads).toHaveLength(2);
  for (const { jobs } of reads) expect(jobs).toBeLessThan(3_100);
});

it('of very many jobs that wait for a private folder, a run reads the items of 1,000, and some run those of each', async () => {
  const ids = Array.from({ length: 2_500 }, (_, n) => `job_${n}`);
  const waiting = { reason: 'folder_busy', parked: 'folder_busy', queued_at: new Date(START).toISOString() } as const;
  async function* byStatus(): AsyncGenerator<IndexedJob> {
    for (const id of ids) yield aJob({ id, ...waiting });
  }
  const seen = new Set<string>();
  for (const random of [0, 0.5, 0.9999]) {
    const findAll = async (asked: readonly string[]) => {
      expect(asked).toHaveLength(1_000);
      return new Map(asked.map((id) => [id, aJob({ id, folder: `folder of ${id}`, ...waiting })]));
    };
    const folders = { workspaces: '/workspaces', roots: [] };
    const context: unknown = { byStatus, jobs: { findAll }, folders, random: () => random, clock: { now: () => NOW } };
    for (const folder of (await readWaiting(context as ReconcilerContext)).folders) seen.add(folder);
  }
  expect(seen.size).toBe(ids.length);
});
