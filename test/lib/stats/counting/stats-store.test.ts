import { afterEach, beforeEach, expect, it } from 'vitest';
import { STATS_KINDS } from '../../../../lib/counters/stats-items.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { recountStats } from '../../../../lib/stats/counting/recount-stats.ts';
import { type CountedChange, StatsStore } from '../../../../lib/stats/counting/stats-store.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aJob } from '../../jobs/a-job.ts';

let deployment: EmulatedDeployment;
let stats: StatsStore;
beforeEach(async () => {
  deployment = await emulateDeployment();
  stats = new StatsStore(deployment.registry);
});
afterEach(async () => await deployment.stop());

it('a batch counts once however it is repeated, split or reordered, on several shards at once, and a recount proves it', async () => {
  const shards = await Promise.all(
    ['shard-a', 'shard-b'].map(async (shard) => {
      const { changes, jobs } = randomLives(shard, 300);
      for (const job of jobs) await deployment.store(job);
      return { shard, changes };
    }),
  );
  const cuts = (list: readonly CountedChange[], size: number) =>
    Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
  await Promise.all(
    shards.map(async ({ shard, changes }) => {
      for (const batch of cuts(changes, 50)) {
        await Promise.all([stats.apply(shard, batch), stats.apply(shard, batch)]);
      }
      for (const batch of cuts(changes, 7)) await stats.apply(shard, batch.toReversed());
    }),
  );
  const { jobs, differences } = await recount();
  expect(jobs).toBeGreaterThan(20);
  expect(differences).toEqual([]);
});

it('a recount finds what was counted wrongly', async () => {
  const job = await deployment.store({ id: 'job_1', status: 'DRAFT' });
  await stats.apply('shard', [{ sequence: '1', before: undefined, after: job }]);
  await stats.apply('shard', [{ sequence: '2', before: undefined, after: job }]);
  expect((await recount()).differences).toEqual([
    { item: `${STATS_KINDS.project} ${job.project_id}`, attribute: 'n_DRAFT', kept: 2, counted: 1 },
  ]);
});

async function recount(table = deployment.table) {
  const { JOBS_TABLE: jobsTable, REGISTRY_TABLE: registryTable } = deployment.env;
  return await recountStats(table, { jobsTable, registryTable });
}

/** Random lives of jobs over several days, projects and models, as a stream delivers them; `jobs`: their last state. */
function randomLives(prefix: string, length: number): { changes: CountedChange[]; jobs: Job[] } {
  const live: Job[] = [];
  const pick = <T>(...of: readonly [T, ...T[]]): T => of[Math.floor(Math.random() * of.length)] ?? of[0];
  const time = (hours: number) => new Date(Date.parse('2026-11-18T20:00:00.000Z') + hours * 3_600_000).toISOString();
  const changes = Array.from({ length }, (_, n): CountedChange => {
    const at = Math.floor(Math.random() * Math.min(live.length + 1, 100));
    const before = live[at];
    const status = pick('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED');
    const usage = {
      input_tokens: n,
      cached_input_tokens: 1,
      output_tokens: 2,
      reasoning_output_tokens: 0,
      cost_usd: 0.1,
    };
    const after = aJob({
      id: before?.id ?? `job_${prefix}_${at}`,
      project_id: before?.project_id ?? pick('alpha', 'beta', 'gamma'),
      status,
      queued_at: time(n / 10),
      started_at: time(n / 10 + Math.random()),
      updated_at: time(n / 10 + 2),
      ...(Math.random() < 0.5 && { usage, model_used: pick('one', 'two') }),
      ...(['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(status) && { finished_at: time(n / 10 + 2) }),
    });
    live[at] = after;
    return { sequence: String(10n ** 20n + BigInt(n)), before, after };
  });
  return { changes, jobs: live };
}
