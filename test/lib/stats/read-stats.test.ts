import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { JobCounts } from '../../../lib/stats/counting/counts.ts';
import { StatsStore } from '../../../lib/stats/counting/stats-store.ts';
import { readStats } from '../../../lib/stats/read-stats.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../emulated-deployment.ts';
import { aJob } from '../jobs/a-job.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');

let deployment: EmulatedDeployment;
let sequence = 0;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

async function ended(status: Job['status'], day = '2026-11-20'): Promise<void> {
  sequence += 1;
  const finished_at = `${day}T10:00:30.000Z`;
  const after = aJob({ id: `job_${sequence}`, status, finished_at, updated_at: finished_at });
  await new StatsStore(deployment.registry).apply('shard', [{ sequence: String(sequence), before: undefined, after }]);
}

const stats = async () => {
  const { registry, table, env } = deployment;
  const { jobs } = await readStats(
    {
      registry,
      counts: new JobCounts({ table, registryTable: env.REGISTRY_TABLE }),
      stats: new StatsStore(registry),
      projects: new ProjectStore(registry),
    },
    NOW,
  );
  return jobs;
};

it('the success rate is of the jobs that succeeded or failed; what was cancelled says nothing', async () => {
  expect((await stats()).last_30_days.success_rate).toBeNull();
  await ended('CANCELLED');
  expect((await stats()).last_30_days).toMatchObject({ cancelled: 1, success_rate: null });
  for (const status of ['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'FAILED'] as const) await ended(status);
  expect((await stats()).last_30_days).toMatchObject({ succeeded: 3, failed: 1, cancelled: 1, success_rate: 0.75 });
});

it('the last thirty days are today and the twenty-nine days before it', async () => {
  const before = (await stats()).last_30_days.succeeded;
  await ended('SUCCEEDED', '2026-10-22');
  await ended('SUCCEEDED', '2026-10-21');
  const { last_30_days, by_day } = await stats();
  expect(last_30_days.succeeded).toBe(before + 1);
  expect([by_day.length, by_day[0]?.day, by_day.at(-1)?.day]).toEqual([30, '2026-10-22', '2026-11-20']);
});
