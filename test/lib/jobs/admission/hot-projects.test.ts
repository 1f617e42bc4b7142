import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClaimContext, claim } from '../../../../lib/jobs/admission/claim.ts';
import { readyJobs } from '../../../../lib/jobs/admission/ready-jobs.ts';
import { createJob } from '../../../../lib/jobs/creation/create-job.ts';
import { editDraft } from '../../../../lib/jobs/creation/edit-job.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { queuePlace } from '../../../../lib/jobs/views/queue-place.ts';
import type { Band } from '../../../../lib/platform/aws/tables.ts';
import { spreadProject } from '../../../../lib/stats/counting/spread-project.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const AT = '2026-11-20T10:00:00.000Z';

async function create(
  project: string,
  creation: { priority?: number; draft?: boolean; idempotency_key?: string } = {},
): Promise<string> {
  return (await createJob(deployment, { prompt: 'x', profile: 'codex', project, ...creation }, 'token:test')).id;
}

async function readyKeyOf(id: string): Promise<unknown> {
  const { Item } = await deployment.table.send(
    new GetCommand({ TableName: deployment.env.JOBS_TABLE, Key: { id }, ConsistentRead: true }),
  );
  return Item?.ready_key;
}

/** The job that a worker gets for a message whose own job is gone. */
async function claimOf(
  project: string,
  { band = 'high', ...context }: Partial<ClaimContext> & { band?: Band } = {},
): Promise<string | undefined> {
  const message = { v: 1, band, project, job: jobIdOfKey('a job that is gone') } as const;
  const claimed = await claim({ ...deployment, ...context }, { message, handle: 'handle', receives: 9 }, 'worker-1');
  return claimed.kind === 'claimed' ? claimed.job.id : undefined;
}

/** The partitions of the ready index that are read meanwhile. */
async function partitionsReadBy<T>(act: () => Promise<T>): Promise<unknown[]> {
  const keys: unknown[] = [];
  deployment.table.middlewareStack.add(
    (next) => async (args) => {
      const { IndexName, ExpressionAttributeValues } = args.input as {
        IndexName?: string;
        ExpressionAttributeValues?: { ':ready_key'?: unknown };
      };
      if (IndexName === 'ready') keys.push(ExpressionAttributeValues?.[':ready_key']);
      return await next(args);
    },
    { step: 'initialize', name: 'partitionsRead', priority: 'high' },
  );
  await act().finally(() => deployment.table.middlewareStack.remove('partitionsRead'));
  return keys.toSorted();
}

it('new jobs of a hot project are in several partitions, and are claimed by their priority all the same', async () => {
  const priorities = [3, 7, 1, 9, 2, 8, 5, 4, 6];
  const jobs: { id: string; priority: number }[] = [];
  // The id, and with it the partition, follows from the key.
  const add = async (priority: number) =>
    jobs.push({ id: await create('hot', { priority, idempotency_key: `hot-${jobs.length}` }), priority });
  for (const priority of priorities) await add(priority);
  expect(await spreadProject(deployment.registry, 'hot', AT)).toBe(true);
  expect(await spreadProject(deployment.registry, 'hot', AT)).toBe(false);
  for (const priority of [...priorities, ...priorities, 50]) await add(priority);
  const keys = new Set(await Promise.all(jobs.map(({ id }) => readyKeyOf(id))));
  expect([...keys].toSorted()).toEqual(['high#hot', 'high#hot#1', 'high#hot#2', 'high#hot#3']);

  const best = jobs.toSorted((a, b) => b.priority - a.priority || jobs.indexOf(a) - jobs.indexOf(b));
  const claimed: (string | undefined)[] = [];
  for (let n = 0; n < jobs.length; n += 1) claimed.push(await claimOf('hot'));
  const priorityOf = (id: string | undefined) => jobs.find((job) => job.id === id)?.priority;
  expect(claimed.map(priorityOf)).toEqual(best.map(({ priority }) => priority));
  expect(claimed).toEqual(best.map(({ id }) => id));
  expect(await claimOf('hot')).toBeUndefined();
});

it('a job of a hot project that is due later keeps none behind it from being claimed', async () => {
  await create('later', { draft: true });
  await spreadProject(deployment.registry, 'later', AT);
  const due_at = new Date(deployment.clock.now() + 3_600_000).toISOString();
  const waiting = Array.from({ length: 40 }, (_, n) => jobIdOfKey(`due later ${n}`));
  for (const id of waiting)
    await deployment.store({ id, project_id: 'later', priority: 9, spread: true, due_at, reason: 'retry_backoff' });
  const id = await create('later', { priority: 1 });
  expect(await claimOf('later')).toBe(id);
});

it('a job that was not read precedes none of the jobs that are offered', async () => {
  for (let priority = 1; priority <= 40; priority += 1)
    await deployment.store({ id: jobIdOfKey(`offer ${priority}`), project_id: 'offer', priority, spread: true });
  const message = { v: 1, band: 'high', project: 'offer', job: jobIdOfKey('offer 1') } as const;
  const offered = await readyJobs(deployment.readReady, message, { isSpread: true, besides: 0 });
  expect(offered.length).toBeGreaterThan(2);
  expect(offered.map(({ priority }) => priority)).toEqual(offered.map((_, at) => 40 - at));
});

it('the claim of a job reads one partition unless its project is hot', async () => {
  const cold = await create('cold');
  expect(await partitionsReadBy(() => claimOf('cold', { band: 'normal' }))).toEqual(['normal#cold']);
  expect(await deployment.jobs.get(cold, { consistent: true })).toMatchObject({ status: 'RUNNING' });
  await spreadProject(deployment.registry, 'cold', AT);
  const keys = ['normal#cold', 'normal#cold#1', 'normal#cold#2', 'normal#cold#3'];
  const again = () => partitionsReadBy(() => claimOf('cold', { band: 'normal' }));
  // The first partition has shown nothing before the project is known to be hot.
  expect(await again()).toEqual(['normal#cold', ...keys]);
  expect(await again()).toEqual(keys);
});

it('a worker that does not know that a project is hot prefers the best job of all partitions to one that it has read', async () => {
  await create('unknown', { priority: 1 });
  await spreadProject(deployment.registry, 'unknown', AT);
  const better = await Promise.all(Array.from({ length: 8 }, (_, n) => create('unknown', { priority: n + 2 })));
  expect(await claimOf('unknown', { hotProjects: new Set() })).toBe(better.at(-1));
  // Nothing is ready in the partition that all projects have, and the message's own job is gone.
  while ((await claimOf('unknown', { hotProjects: new Set() })) !== undefined);
  for (const id of better) expect(await deployment.jobs.find(id)).toMatchObject({ status: 'RUNNING' });
});

it('a project that does not exist does not become hot', async () => {
  expect(await spreadProject(deployment.registry, 'never-made', AT)).toBe(false);
  expect(await deployment.projectSettings.isSpread('never-made')).toBe(false);
});

it('a draft that moves away from a hot project is found in its new one', async () => {
  await create('left', { draft: true });
  await spreadProject(deployment.registry, 'left', AT);
  // By chance a job may be in the partition that all projects have.
  const drafts = await Promise.all(Array.from({ length: 8 }, () => create('left', { draft: true })));
  for (const id of drafts) {
    const job = await deployment.jobs.get(id, { consistent: true });
    if (job === undefined) throw new Error('the draft was not stored');
    const moved = await editDraft(deployment, job, { project: 'entered' }, 'edit');
    await transition(deployment, moved, { type: 'submit' });
  }
  const claimed = [];
  for (const _ of drafts) claimed.push(await claimOf('entered', { band: 'normal' }));
  expect(claimed.toSorted()).toEqual(drafts.toSorted());
});

it('a waiting job of a hot project has the jobs of all its partitions before it', async () => {
  const first = await create('line');
  await spreadProject(deployment.registry, 'line', AT);
  for (let n = 0; n < 8; n += 1) await create('line');
  const last = await create('line');
  const { env, registry, profiles, projectSettings } = deployment;
  const context = { ...registry, jobsTable: env.JOBS_TABLE, profiles, projectSettings };
  const placeOf = async (id: string) => {
    const job = await deployment.jobs.get(id, { consistent: true });
    return job && (await queuePlace(context, job));
  };
  expect(await placeOf(first)).toMatchObject({ ahead: 0, ahead_complete: true });
  expect(await placeOf(last)).toMatchObject({ ahead: 9, ahead_complete: true });
});
