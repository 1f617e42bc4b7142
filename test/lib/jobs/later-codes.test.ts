import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import { DeployBindingStore } from '../../../lib/bindings/deploy-binding-store.ts';
import { JobCounts } from '../../../lib/counters/counts.ts';
import { claim } from '../../../lib/jobs/admission/claim.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import { indexKeys } from '../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { decide } from '../../../lib/jobs/lifecycle/lifecycle.ts';
import { reconcile } from '../../../lib/reconciler/reconciler.ts';
import { starvingBands } from '../../../lib/reconciler/starving-bands.ts';
import type { Demand } from '../../../lib/workers/scaling/decide-launch.ts';
import { readDemand } from '../../../lib/workers/scaling/read-demand.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { aJob, aReceipt, aRunningJob } from './a-job.ts';

/** Jobs of this schema in states, with reasons and parkings that only a later version knows. */
let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

type Item = Readonly<Record<string, unknown>>;

/** Stores a job as a later version writes it: with its own index keys where those of this version don't fit. */
async function storeLater(job: Job, later: Item): Promise<Item> {
  const Item = { ...job, ...indexKeys(job), ...later };
  await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
  return Item;
}

async function itemOf(id: unknown): Promise<unknown> {
  return (await deployment.table.send(new GetCommand({ TableName: deployment.env.JOBS_TABLE, Key: { id } }))).Item;
}

async function demand(): Promise<Demand> {
  const { table, env, clock } = deployment;
  const registry = { table, registryTable: env.REGISTRY_TABLE };
  const context = {
    ...deployment,
    counts: new JobCounts({ table, registryTable: env.REGISTRY_TABLE }),
    bindings: new DeployBindingStore(registry),
    accounts: new AccountStore({ ...registry, clock, world: 'practice' }),
    vendors: [],
    commands: true,
  };
  return await readDemand(context, 10);
}

const PAST = '2026-11-20T10:00:30.000Z';
const message = { v: 1, band: 'high', project: 'local_project', job: 'job_reason' } as const;
const held = { message, handle: 'none', receives: 9, sentAt: 0 };

/** One of each: in the ready partition, parked, released as a probe, running and lost, and in an unknown state. */
async function storeAll(): Promise<Item[]> {
  const running = aRunningJob({ id: 'job_running', lease_until: PAST });
  return [
    await storeLater(aJob({ id: 'job_reason', priority: 9 }), { reason: 'budget_reached' }),
    await storeLater(aJob({ id: 'job_parked', parked: 'usage_limit', due_at: PAST, reason: 'usage_limit' }), {
      reason: 'vendor_asleep',
    }),
    await storeLater(aJob({ id: 'job_question', priority: 9 }), {
      ...{ parked: 'question_asked', reason: 'question_asked' },
      ...{ ready_key: 'parked#question_asked', ready_order: PAST },
    }),
    await storeLater(aJob({ id: 'job_trying', priority: 9 }), { probing: 'budget_reached', reason: 'trying' }),
    await storeLater(running, { reason: 'answering' }),
    await storeLater(aRunningJob({ id: 'job_paused' }), { status: 'PAUSED', reason: 'paused', status_key: 'PAUSED#0' }),
  ];
}

describe('jobs with codes of a later version', () => {
  it('are not claimed, whatever their place, and block no other job', async () => {
    const later = await storeAll();
    for (const id of ['job_a', 'job_b', 'job_c', 'job_d'])
      await storeLater(aJob({ id, priority: 9 }), { reason: 'budget_reached' });
    await deployment.store({ id: 'job_known', priority: 1 });
    expect(await claim(deployment, held, 'worker')).toMatchObject({ kind: 'claimed', job: { id: 'job_known' } });
    expect(await claim(deployment, held, 'worker')).toEqual({ kind: 'retry_later', seconds: 30 });
    for (const item of later) expect(await itemOf(item.id)).toEqual(item);
  });

  it('are skipped by reconcile-jobs, which continues with the others', async () => {
    const later = await storeAll();
    await deployment.store(aRunningJob({ id: 'job_lost', lease_until: PAST }));
    await deployment.store({ id: 'job_limit', parked: 'usage_limit', reason: 'usage_limit', due_at: PAST });
    await reconcile(deployment, { redrive: true });
    await reconcile(deployment);
    expect(await deployment.jobs.get('job_lost', { consistent: true })).toMatchObject({ status: 'QUEUED', losses: 1 });
    expect(await deployment.jobs.get('job_limit', { consistent: true })).toMatchObject({ probing: 'usage_limit' });
    for (const item of later) expect(await itemOf(item.id)).toEqual(item);
  });

  it('are changed only by the report of their own attempt', async () => {
    const later = await storeAll();
    for (const { id } of later) {
      const job = await deployment.jobs.get(String(id), { consistent: true });
      if (job === undefined) throw new Error(`${String(id)} is not there`);
      for (const type of ['cancel', 'kill', 'retry', 'submit', 'lose'] as const)
        expect(await transition(deployment, job, { type })).toMatchObject({ done: false });
      expect(await itemOf(id)).toEqual(later.find((item) => item.id === id));
    }
    for (const later of [{ parked: 'question_asked' }, { reason: 'asking' }])
      expect(decide(aJob(later), { type: 'claim', workerId: 'worker' }, { now: Date.now(), random: () => 0 })).toEqual({
        rejected: 'a newer version of the service changed the job',
      });
    const running = await deployment.jobs.get('job_running', { consistent: true });
    const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: 'job_running' });
    const ended = running && (await transition(deployment, running, { type: 'end', receipt }));
    expect(ended).toMatchObject({ done: true, job: { status: 'SUCCEEDED' } });
  });

  it('count as no demand for workers, and starve no band', async () => {
    await storeAll();
    await deployment.store({ id: 'job_known', queued_at: PAST, created_at: PAST, priority: 1 });
    expect(await demand()).toMatchObject({ waiting: 1 });
    expect(await starvingBands(deployment)).toEqual([]);
  });

  it('are run if only the cause that they probe is unknown: what counts as demand is claimed', async () => {
    await storeLater(aJob({ id: 'job_probing', priority: 9 }), { probing: 'budget_reached' });
    expect(await demand()).toMatchObject({ waiting: 1 });
    expect(await claim(deployment, held, 'worker')).toMatchObject({ kind: 'claimed', job: { id: 'job_probing' } });
    const running = await deployment.jobs.get('job_probing', { consistent: true });
    const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: 'job_probing' });
    const ended = running && (await transition(deployment, running, { type: 'end', receipt }));
    expect(ended).toMatchObject({ done: true, job: { status: 'SUCCEEDED' } });
  });

  it('make a probe inconclusive if it ends in an unknown way', async () => {
    await storeLater(aJob({ id: 'job_tried', attempt: 1 }), { parked: 'question_asked', reason: 'question_asked' });
    await deployment.probes.replace('usage_limit', undefined, { job_id: 'job_tried', attempt: 1, next_at: PAST });
    for (const id of ['job_first', 'job_second'])
      await deployment.store({ id, parked: 'usage_limit', reason: 'usage_limit', due_at: PAST });
    await reconcile(deployment);
    const first = await deployment.jobs.get('job_first', { consistent: true });
    const second = await deployment.jobs.get('job_second', { consistent: true });
    expect([first?.parked, second?.parked].filter((parked) => parked === 'usage_limit')).toHaveLength(1);
  });
});

describe('an outcome of a later version', () => {
  it('is neither applied nor taken for a loss; other jobs continue', async () => {
    const running = await deployment.store(aRunningJob({ id: 'job_asked', lease_until: PAST }));
    await deployment.store(aRunningJob({ id: 'job_lost', lease_until: PAST }));
    const receipt = aReceipt({ kind: 'failed', reason: 'exited' }, { job_id: 'job_asked' });
    for (const later of [
      { ...receipt, outcome: { ...receipt.outcome, kind: 'asked', reason: 'question_asked' } },
      { ...receipt, outcome: { ...receipt.outcome, reason: 'budget_reached' } },
      { ...receipt, version: 2, outcome: 'in another shape' },
    ]) {
      await deployment.output.putReceipt(later as unknown as typeof receipt);
      await reconcile(deployment);
      expect(await deployment.jobs.get('job_asked', { consistent: true })).toEqual(running);
    }
    expect(await deployment.jobs.get('job_lost', { consistent: true })).toMatchObject({ losses: 1 });
  });
});

describe('states of a later version', () => {
  it('are counted under their name, beside those that this one knows', async () => {
    const counts = new JobCounts(deployment.registry);
    await counts.apply('shard', [
      { sequence: '1', before: undefined, after: 'QUEUED' },
      { sequence: '2', before: undefined, after: 'PAUSED' },
      { sequence: '3', before: 'QUEUED', after: 'PAUSED' },
    ]);
    await counts.apply('shard', [{ sequence: '4', before: 'PAUSED', after: 'CANCELLED' }]);
    expect(await counts.read()).toMatchObject({ QUEUED: 0, PAUSED: 1, CANCELLED: 1 });
  });
});
