import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProfileStore } from '../../../lib/catalog/profiles.ts';
import { JobCounts } from '../../../lib/counters/counts.ts';
import { ProjectStore } from '../../../lib/projects/projects.ts';
import { StatsStore } from '../../../lib/stats/counting/stats-store.ts';
import { readEnvironment } from '../../../lib/stats/read-environment.ts';
import { LiveWorkers } from '../../../lib/workers/live-workers.ts';
import { type EmulatedDeployment, emulateDeployment, inStillTime } from '../../stand-ins/emulated-deployment.ts';
import { aJob } from '../jobs/a-job.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const FACTS = {
  region: 'eu-central-1',
  version: '1.2.3',
  timeoutUnit: 'seconds',
  defaultProfile: 'fast',
  scopeEnforcement: true,
  maxBodyBytes: 1_000,
};
const USAGE = { input_tokens: 5, cached_input_tokens: 4, output_tokens: 3, reasoning_output_tokens: 2, cost_usd: 0.5 };
const COUNTS = { DRAFT: 0, QUEUED: 0, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, CANCELLED: 0 };

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('shows workers, profiles, models, projects and the tokens of today and of thirty days', async () => {
  const { registry, clock } = inStillTime({ ...deployment, registry: { ...deployment.registry } });
  const stored = { ...registry, clock };
  const [workers, profiles, projects, stats, counts] = [
    new LiveWorkers(stored),
    new ProfileStore(stored),
    new ProjectStore(stored),
    new StatsStore(stored),
    new JobCounts(stored),
  ];
  const machine = {
    ...{ cpus: 2, load_1m: 0.5, architecture: 'arm64', platform: 'linux', node_version: 'v24.0.0' },
    memory: { total_bytes: 8, free_bytes: 4 },
  };
  const worker = { host: 'one', version: '1.2.2', concurrency: 3, running: ['job_1'], started_at: 'earlier' };
  await workers.register({ id: 'a', ...worker });
  await workers.register({ id: 'b', ...worker, machine });
  await workers.register({ id: 'c', ...worker, machine: { ...machine, storage: { total_bytes: 9, free_bytes: 1 } } });
  await profiles.put({ name: 'fast', agent: 'codex', model: 'named' });
  await profiles.put({ name: 'like it', agent: 'codex', model: 'named' });
  const { id: project_id } = await projects.resolve('Team A');
  const ends = { queued_at: '2026-11-20T10:00:00.000Z', finished_at: '2026-11-20T10:00:30.000Z' };
  const jobs = [
    { model_used: 'used', updated_at: '2026-11-20T10:00:30.000Z' },
    { profile: 'codex', updated_at: '2026-11-19T10:00:30.000Z' },
  ].map((more, at) => aJob({ id: `job_${at}`, project_id, status: 'SUCCEEDED', usage: USAGE, ...ends, ...more }));
  const changes = jobs.map((after, at) => ({ sequence: String(at + 1), before: undefined, after }));
  await stats.apply('shard', changes);
  await counts.apply('shard', [{ sequence: '1', before: undefined, after: 'SUCCEEDED' }]);

  const shown = await readEnvironment(
    { ...stored, registry: stored, workers, profiles, projects, stats, counts },
    FACTS,
    NOW,
  );
  const host = { ...worker, seen_at: expect.stringMatching(/Z$/) };
  const { concurrency: slots, running: running_job_ids, ...named } = host;
  const known = { ...named, slots, running_job_ids };
  const { cpus: count, load_1m, architecture, memory, ...rest } = machine;
  const described = { ...known, ...rest, cpu: { count, load_1m, architecture }, memory };
  expect(shown).toMatchObject({
    time: '2026-11-20T12:00:00.000Z',
    hosts: [
      { worker_id: 'a', ...known, cpu: null, memory: null, storage: null, node_version: null, platform: null },
      { worker_id: 'b', ...described, storage: null },
      { worker_id: 'c', ...described, storage: { total_bytes: 9, free_bytes: 1 } },
    ],
    service: {
      ...{ region: 'eu-central-1', version: '1.2.3', node_version: process.version, timeout_unit: 'seconds' },
      ...{ default_profile: 'fast', scope_enforcement: true, max_body_bytes: 1_000 },
    },
    models: ['named', 'used'],
    projects: { items: [{ id: project_id, name: 'Team A', job_counts: { ...COUNTS, SUCCEEDED: 2 } }], more: false },
    jobs: { ...COUNTS, SUCCEEDED: 1 },
    token_usage: {
      today: USAGE,
      last_30_days: {
        ...{ input_tokens: 10, cached_input_tokens: 8, output_tokens: 6, reasoning_output_tokens: 4 },
        cost_usd: 1,
      },
    },
  });
  expect(shown.profiles.map(({ name, is_default }) => [name, is_default])).toEqual([
    ['codex', false],
    ['claude', false],
    ['fast', true],
    ['like it', false],
  ]);
});
