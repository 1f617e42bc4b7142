import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { started } from '../../../../lib/accounts/account.ts';
import { AccountStore } from '../../../../lib/accounts/account-store.ts';
import { DeployBindingStore } from '../../../../lib/bindings/deploy-binding-store.ts';
import { countedState, JobCounts } from '../../../../lib/counters/counts.ts';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { BUSY_REASONS, PARK_REASONS } from '../../../../lib/jobs/lifecycle/parking.ts';
import { JobIndex } from '../../../../lib/jobs/store/job-index.ts';
import { readWaiting } from '../../../../lib/reconciler/reconcile-jobs.ts';
import { starvingBands } from '../../../../lib/reconciler/starving-bands.ts';
import { readDemand } from '../../../../lib/workers/scaling/read-demand.ts';
import { printedBy } from '../../../local-run/captured-lines.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../../jobs/a-job.ts';

const DUE = '2036-11-20T10:00:00.000Z';

/** A deployment whose jobs are counted as they are stored. */
function countingDeployment() {
  const deployment = quietDeployment();
  const { table, env, clock, calls } = deployment;
  const registry = { table, registryTable: env.REGISTRY_TABLE, clock };
  const counts = new JobCounts(registry);
  let sequence = 0;
  const store = async (differences: readonly (Partial<Job> & Pick<Job, 'id'>)[]) => {
    const changes = [];
    for (const one of differences) {
      const job = await deployment.store(one);
      sequence += 1;
      changes.push({
        sequence: String(sequence),
        before: undefined,
        after: countedState({ ...job, ...indexKeys(job) }),
      });
    }
    await counts.apply('shard', changes);
  };
  /** Of each reason as many. */
  const park = async (each: number, name: string) =>
    await store(
      [...PARK_REASONS, ...BUSY_REASONS].flatMap((reason) =>
        Array.from({ length: each }, (_, at) => {
          const id = jobIdOfKey(`${name} ${reason} ${at}`);
          return { id, reason, parked: reason, due_at: DUE, ...(reason === 'folder_busy' && { folder: 'folder-a' }) };
        }),
      ),
    );
  const demand = {
    ...deployment,
    counts,
    bindings: new DeployBindingStore(registry),
    accounts: new AccountStore({ ...registry, world: 'practice' }),
    vendors: [],
    commands: true,
  };
  /** What `read` results in, and how many queries it makes. */
  const queriesOf = async <T>(read: () => Promise<T>) => {
    calls.length = 0;
    const result = await read();
    return { result, queries: calls.filter((call) => call instanceof QueryCommand).length };
  };
  return { ...deployment, counts, store, park, queriesOf, readDemand: () => readDemand(demand, 10) };
}

it('jobs parked for their vendor, a folder or a profile cost a decision the same reads however many they are', async () => {
  const deployment = countingDeployment();
  await deployment.park(1, 'few');
  const few = await deployment.queriesOf(deployment.readDemand);
  expect(few.result).toMatchObject({ waiting: 0 });
  const bands = await deployment.queriesOf(() => starvingBands(deployment));
  expect(bands.result).toEqual([]);
  await deployment.park(500, 'many');
  expect(await deployment.queriesOf(deployment.readDemand)).toEqual(few);
  expect(await deployment.queriesOf(() => starvingBands(deployment))).toEqual(bands);
  await deployment.store([{ id: 'job_ready' }]);
  expect(await deployment.readDemand()).toMatchObject({ waiting: 1 });
});

it('jobs that are not due are no demand', async () => {
  const deployment = countingDeployment();
  await deployment.store([{ id: 'job_pauses', reason: 'retry_backoff', due_at: DUE }, { id: 'job_ready' }]);
  expect(await deployment.readDemand()).toMatchObject({ waiting: 1 });
});

it('parked jobs are found by the reconciler, and listed and counted as QUEUED', async () => {
  const deployment = countingDeployment();
  await deployment.park(1, 'few');
  const waiting = await readWaiting(deployment);
  expect({ folders: [...waiting.folders], profiles: [...waiting.profiles] }).toEqual({
    folders: ['folder-a'],
    profiles: ['practice'],
  });
  expect(await deployment.counts.read()).toMatchObject({ QUEUED: 5 });
  const { JOBS_TABLE: jobsTable, REGISTRY_TABLE: registryTable } = deployment.env;
  const index = new JobIndex({ table: deployment.table, jobsTable, registryTable });
  const page = await index.page({ status: 'QUEUED', limit: 10, offset: 0, cursor: undefined });
  expect(page.items).toHaveLength(5);
});

/** The demand for commands of bindings, and what it reads for it. */
async function bindingsOf(
  jobs: readonly { id: string; project_id: string }[],
  settings: { commands?: boolean; enough?: number } = {},
) {
  const { commands = true, enough = 10 } = settings;
  const reads: string[] = [];
  const binding = { state: 'active', binding_mode: 'custom', command: 'true' };
  const bindings: Record<string, object[]> = {
    calls: [{ ...binding, binding_mode: 'generic', target_url: 'https://example.com' }],
    none: [],
    off: [{ ...binding, disabled_reason: 'its link is unsafe' }],
  };
  const deployments: Record<string, object[]> = {
    job_done: [{ mode: 'custom', state: 'succeeded' }],
    job_call: [{ mode: 'generic', state: 'pending' }],
  };
  const context: unknown = {
    commands,
    clock: { now: () => 0 },
    counts: { readStates: async () => ({}) },
    byStatus: async function* () {},
    vendors: [],
    partition: async function* () {
      yield* jobs;
    },
    bindings: {
      list: async (project: string) => {
        reads.push(project);
        return bindings[project] ?? [binding];
      },
    },
    deployments: {
      list: async (id: string) => {
        reads.push(id);
        return deployments[id] ?? [{ mode: 'custom', state: 'pending' }];
      },
    },
  };
  const demand = await readDemand(context as Parameters<typeof readDemand>[0], enough);
  return { count: demand.bindings, reads };
}

it('commands that have not ended are demand, in projects with bindings that run some', async () => {
  const jobs = ['job_a', 'job_b', 'job_done', 'job_call'].map((id) => ({ id, project_id: 'p' }));
  const others = ['calls', 'none', 'off'].map((project_id) => ({ id: `job_of_${project_id}`, project_id }));
  expect(await bindingsOf([...jobs, ...others])).toEqual({
    count: 2,
    reads: ['p', 'job_a', 'job_b', 'job_done', 'job_call', 'calls', 'none', 'off'],
  });
  expect(await bindingsOf(jobs, { commands: false })).toEqual({ count: 0, reads: [] });
  expect(await bindingsOf(jobs, { enough: 1 })).toEqual({ count: 1, reads: ['p', 'job_a'] });
});

it('the jobs that wait are counted up to the number that is enough', async () => {
  const now = Date.parse('2026-11-20T12:00:00.000Z');
  const at = (milliseconds: number) => new Date(now + milliseconds).toISOString();
  let read = 0;
  const pages: unknown[] = [];
  const waiting = async (queued: number, enough: number, jobs: readonly Partial<Job>[]) => {
    read = 0;
    const context: unknown = {
      clock: { now: () => now },
      counts: { readStates: async () => ({ QUEUED: queued, RUNNING: 2 }) },
      byStatus: async function* (_status: string, options: unknown) {
        pages.push(options);
        for (const job of jobs) {
          read += 1;
          yield aJob({ created_at: at(60_000), queued_at: at(60_000), ...job });
        }
      },
      vendors: [],
    };
    return (await readDemand(context as Parameters<typeof readDemand>[0], enough)).waiting;
  };
  const due = { due_at: at(0) };
  const jobs = [{}, due, { due_at: at(1) }, { reason: 'usage_limit' } as const];
  expect(await waiting(4, 10, jobs)).toBe(2);
  // The counters know a job that the index does not show yet, or have not heard of all.
  expect(await waiting(6, 10, jobs)).toBe(4);
  expect(await waiting(0, 10, jobs)).toBe(2);
  expect(await waiting(9, 2, [{}, {}, {}])).toBe(2);
  expect(read).toBe(2);
  expect(pages[0]).toEqual({ page: 200 });
});

it('a login in progress needs a worker, a damaged account none', async () => {
  const deployment = countingDeployment();
  const { table, env, clock } = deployment;
  const accounts = new AccountStore({ table, registryTable: env.REGISTRY_TABLE, clock, world: 'practice' });
  await accounts.change('codex', (account, now) => started(account, 'login', now));
  const read = accounts.read.bind(accounts);
  accounts.read = async (vendor) => {
    if (vendor !== 'codex') throw new Error('damaged');
    return await read(vendor);
  };
  const context: unknown = {
    clock,
    counts: { readStates: async () => ({}) },
    byStatus: async function* () {},
    accounts,
    vendors: ['codex', 'claude'],
  };
  const demand = readDemand(context as Parameters<typeof readDemand>[0], 10);
  expect((await printedBy(async () => await demand)).result).toMatchObject({ logins: 1 });
});
