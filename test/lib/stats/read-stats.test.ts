import { afterAll, beforeAll, expect, it } from 'vitest';
import { JobCounts } from '../../../lib/counters/counts.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { StatsStore } from '../../../lib/stats/counting/stats-store.ts';
import { readStats, readTokens, type StatsContext } from '../../../lib/stats/read-stats.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
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

function context(): StatsContext {
  const { registry } = deployment;
  const [counts, stats, projects] = [new JobCounts(registry), new StatsStore(registry), new ProjectStore(registry)];
  return { registry, counts, stats, projects };
}

const stats = async () => (await readStats(context(), NOW)).jobs;

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

it('tokens are shown by day, model and project, beside the jobs of each state and the spread of their times', async () => {
  const usage = {
    input_tokens: 5,
    cached_input_tokens: 4,
    output_tokens: 3,
    reasoning_output_tokens: 2,
    cost_usd: 0.5,
  };
  const { id: project_id } = await new ProjectStore(deployment.registry).resolve('Team A');
  const at = '2026-11-19T10:00:30.000Z';
  const times = { queued_at: '2026-11-19T10:00:00.000Z', started_at: '2026-11-19T10:00:10.000Z', finished_at: at };
  const job = { ...times, project_id, updated_at: at, usage };
  const jobs = [aJob({ ...job, status: 'SUCCEEDED', model_used: 'm' }), aJob({ ...job, status: 'RUNNING' })];
  const changes = jobs.map((after, place) => ({ sequence: String(place + 1), before: undefined, after }));
  await new StatsStore(deployment.registry).apply('another shard', changes);
  const states = ['QUEUED', 'QUEUED-asked', 'RUNNING'].map((after, place) => ({ sequence: String(place + 1), after }));
  await new JobCounts(deployment.registry).apply(
    'shard',
    states.map((change) => ({ ...change, before: undefined })),
  );

  const { time, statuses, jobs: shown, projects, tokens } = await readStats(context(), NOW);
  const both = {
    ...{ input_tokens: 10, cached_input_tokens: 8, output_tokens: 6, reasoning_output_tokens: 4, cost_usd: 1 },
  };
  const counted = { DRAFT: 0, QUEUED: 2, RUNNING: 1, SUCCEEDED: 0, FAILED: 0, CANCELLED: 0 };
  expect([time, statuses, shown.total, shown.by_status]).toEqual(['2026-11-20T12:00:00.000Z', counted, 3, counted]);
  expect(shown.by_day.at(-2)).toEqual({
    ...{ day: '2026-11-19', succeeded: 1, failed: 0, cancelled: 0, success_rate: 1 },
    queue_wait_ms: { count: 1, p50: 9742, p95: 9742 },
    duration_ms: { count: 1, p50: 19484, p95: 19484 },
  });
  const project = { id: project_id, name: 'Team A', job_counts: { ...counted, QUEUED: 0, SUCCEEDED: 1 } };
  expect(projects).toEqual({ items: [{ ...project, tokens: both, last_activity_at: at }], more: false });
  expect([tokens.last_30_days, tokens.by_day.at(-2)]).toEqual([both, { day: '2026-11-19', ...both }]);
  expect(tokens.by_model).toEqual([
    { model: '(default of practice)', ...usage },
    { model: 'm', ...usage },
  ]);
  expect(tokens.by_project).toEqual([{ project_id, project: 'Team A', ...both }]);
  const none = Object.fromEntries(Object.keys(both).map((name) => [name, 0]));
  expect(await readTokens(context().stats, NOW)).toEqual({ today: none, last30Days: both, models: ['m'] });
});
