import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AccountStore } from '../../../../lib/accounts/account-store.ts';
import { DeployBindingStore } from '../../../../lib/bindings/deploy-binding-store.ts';
import { countedState, JobCounts } from '../../../../lib/counters/counts.ts';
import { claim } from '../../../../lib/jobs/admission/claim.ts';
import { probeParkedJobs, unparkAll } from '../../../../lib/jobs/admission/parked-jobs.ts';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import { QUESTION_KEY, threadKey } from '../../../../lib/jobs/indexes/ready-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { AWAITED_REASONS, PARK_REASONS } from '../../../../lib/jobs/lifecycle/parking.ts';
import { JobIndex } from '../../../../lib/jobs/store/job-index.ts';
import { reconcile } from '../../../../lib/reconciler/reconciler.ts';
import { readDemand } from '../../../../lib/workers/scaling/read-demand.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aJob, aRunningJob } from '../a-job.ts';

let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

const PAST = '2026-11-20T10:00:30.000Z';
const FUTURE = '2036-11-20T10:00:30.000Z';

/** Stores a job that awaits each event: a question before its deadline, the others long due. */
async function storeAwaiting(suffix = ''): Promise<Job[]> {
  const jobs = AWAITED_REASONS.map((reason, at) =>
    deployment.store({
      id: `job_${reason}${suffix}`,
      ...{
        parked: reason,
        reason,
        due_at: reason === 'question' ? FUTURE : PAST,
        thread_id: 'job_first',
        turn: at + 1,
        priority: 9,
      },
    }),
  );
  return await Promise.all(jobs);
}

async function demand(): Promise<unknown> {
  const { registry, clock } = deployment;
  const counts = new JobCounts(registry);
  const bindings = new DeployBindingStore(registry);
  const accounts = new AccountStore({ ...registry, clock, world: 'practice' });
  return await readDemand({ ...deployment, counts, bindings, accounts, vendors: [], commands: true }, 10);
}

/** Counts the jobs as their records in the stream do. */
async function count(jobs: readonly Job[]): Promise<void> {
  const changes = jobs.map((job, at) => ({
    sequence: `${at + 1}`,
    before: undefined,
    after: countedState({ ...job, ...indexKeys(job) }),
  }));
  await new JobCounts(deployment.registry).apply('shard', changes);
}

describe('jobs that await an event', () => {
  it('are neither probed nor released with others', async () => {
    const jobs = await storeAwaiting();
    await deployment.store({ id: 'job_limit', parked: 'usage_limit', reason: 'usage_limit', due_at: PAST });
    await probeParkedJobs(deployment);
    expect(await deployment.jobs.find('job_limit')).toMatchObject({ probing: 'usage_limit' });
    for (const reason of PARK_REASONS) await unparkAll(deployment, reason);
    await reconcile(deployment, { redrive: true });
    for (const job of jobs) expect(await deployment.jobs.find(job.id)).toEqual(job);
  });

  it('are not claimed, also by a message that names them', async () => {
    const jobs = await storeAwaiting();
    for (const { id } of jobs) {
      const message = { v: 1, band: 'high', project: 'local_project', job: id } as const;
      const received = { message, handle: 'none', receives: 9, sentAt: 0 };
      expect(await claim(deployment, received, 'worker')).toEqual({ kind: 'acknowledge' });
    }
  });

  it('have a partition for each event, and threads one each, by turn', () => {
    const parked = (reason: Job['reason'], turn: number) =>
      indexKeys(aJob({ parked: reason as NonNullable<Job['parked']>, reason, thread_id: 'job_t', turn }));
    expect(parked('question', 2)).toMatchObject({ ready_key: QUESTION_KEY });
    const turns = [2, 10, 300].map((turn) => parked(turn === 10 ? 'thread_stopped' : 'waiting_for_thread', turn));
    expect(new Set(turns.map(({ ready_key }) => ready_key))).toEqual(new Set([threadKey('job_t')]));
    expect(turns.map(({ ready_order }) => ready_order).toSorted()).toEqual(turns.map(({ ready_order }) => ready_order));
  });

  it('are no demand for workers, and cost the same reads however many they are', async () => {
    const few = await storeAwaiting();
    await count(few);
    const sent = vi.spyOn(deployment.table, 'send');
    const reads = async () => {
      sent.mockClear();
      expect(await demand()).toMatchObject({ waiting: 0 });
      await reconcile(deployment);
      return sent.mock.calls.length;
    };
    const before = await reads();
    const more = (await Promise.all([...Array(100).keys()].map((at) => storeAwaiting(`_${at}`)))).flat();
    await count([...few, ...more]);
    expect(await reads()).toBe(before);
    sent.mockRestore();
    await deployment.store({ id: 'job_ready' });
    expect(await demand()).toMatchObject({ waiting: 1 });
  });

  it('and still run are counted as running', async () => {
    const question = { id: 'q_1', state: 'open', due: FUTURE } as const;
    await count([aRunningJob({ id: 'job_asks', question }), aRunningJob({ id: 'job_runs' })]);
    expect(await demand()).toMatchObject({ waiting: 0, running: 2 });
    expect(await new JobCounts(deployment.registry).readStates()).toEqual({ RUNNING: 1, 'RUNNING-question': 1 });
  });

  it('are counted and listed as QUEUED', async () => {
    const jobs = await storeAwaiting();
    await deployment.store({ id: 'job_ready' });
    await count([...jobs, aJob({ id: 'job_ready' })]);
    const counts = new JobCounts(deployment.registry);
    expect(await counts.read()).toMatchObject({ QUEUED: 4 });
    expect(await counts.readStates()).toEqual({ QUEUED: 1, 'QUEUED-parked': 2, 'QUEUED-question': 1 });
    const { JOBS_TABLE: jobsTable, REGISTRY_TABLE: registryTable } = deployment.env;
    const index = new JobIndex({ table: deployment.table, jobsTable, registryTable });
    const page = await index.page({ status: 'QUEUED', limit: 10, offset: 0, cursor: undefined });
    expect(page.items.map(({ id }) => id).toSorted()).toEqual([...jobs.map(({ id }) => id), 'job_ready'].toSorted());
  });

  it('of a later version are counted where that version counts them', () => {
    expect(countedState({ status: 'QUEUED', status_key: 'QUEUED-parked#2' })).toBe('QUEUED-parked');
    expect(countedState({ status: 'PAUSED', status_key: 'PAUSED#0' })).toBe('PAUSED');
    expect(countedState({ status: 'SUCCEEDED' })).toBe('SUCCEEDED');
  });
});
