import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { acquireFolder, exclusiveFolder, folderName, wakeIfFree } from '../../../../lib/jobs/admission/folder-slots.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { NEWEST_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { turnsOf } from '../../../../lib/jobs/threads/read-thread.ts';
import { wakeForFreeResources } from '../../../../lib/reconciler/reconcile-jobs.ts';
import { copied } from '../../../../worker-container/forks/fork-source.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aRunningJob } from '../a-job.ts';

const id = (last: number) => `job_0000000000000000000000000${last}`;
const OWNER = id(1);
const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1 } as const;
/** A job in the folder of the owner. */
const inFolder = (last: number, more: Partial<Job> = {}) =>
  aJob({ id: id(last), cwd: OWNER, folder_of: OWNER, parent_id: OWNER, ...more });
/** One that an agent started. */
const startedIn = (last: number, parent = OWNER, more: Partial<Job> = {}) =>
  inFolder(last, { parent_id: parent, created_by: `job:${parent}`, ...more });

const nameIn = ({ folders }: QuietDeployment) => folderName(folders, aJob({ id: OWNER })) ?? '';
const waitingIn = (deployment: QuietDeployment) => {
  const folder = nameIn(deployment);
  return { reason: 'folder_busy', parked: 'folder_busy', folder } as const;
};
const mayRun = async (deployment: QuietDeployment, job: Job) =>
  await acquireFolder(deployment, job, nameIn(deployment));
/** A job that runs in the folder, whose claim took the slot. */
async function running(deployment: QuietDeployment, job: Job): Promise<Job> {
  const stored = (await deployment.read(job)) ?? (await deployment.store(job));
  expect(await mayRun(deployment, stored)).toBe(true);
  const folder = nameIn(deployment);
  const claimed = await transition(deployment, stored, { type: 'claim', workerId: 'w', folder, place: undefined });
  if (!claimed.done) throw new Error(claimed.rejected);
  return claimed.job;
}

describe('a job needs the slot of a private folder', () => {
  it.each<[string, Partial<Job>, boolean]>([
    ['that it has to itself', {}, false],
    ['and its agent has started jobs elsewhere', { tool_children: [id(2)] }, false],
    ['and its agent has started a job there', { shares_folder: true, tool_children: [id(2)] }, true],
    ['and it has follow-up jobs', { follow_ups: ['1.0'] }, true],
    ['and its follow-up jobs are still to be made', { children_pending: [1] }, true],
    ['of its parent', { folder_of: id(2), parent_id: id(2), cwd: id(2) }, true],
    ['below that of its parent', { folder_of: id(2), parent_id: id(2), cwd: `${id(2)}/docs` }, true],
    ['only in name: it works elsewhere', { follow_ups: ['1.0'], cwd: 'work' }, false],
  ])('%s: %o', async (_what, more, needs) => {
    const deployment = quietDeployment();
    const job = await deployment.store(aJob({ id: OWNER, ...more }));
    const folder = await exclusiveFolder(deployment, job, []);
    const owner = aJob({ id: job.folder_of ?? OWNER });
    expect(folder).toBe(needs ? folderName(deployment.folders, owner) : undefined);
  });

  it('that a turn of its thread shares with others, and no slot if it is of the thread alone', async () => {
    const deployment = quietDeployment();
    const thread = { thread_id: OWNER, folder_of: OWNER };
    const first = await deployment.store(aJob({ id: OWNER, thread_id: OWNER, turn: 1, ...ended }));
    const turn = await deployment.store(aJob({ id: id(2), turn: 2, continues: OWNER, ...thread }));
    await deployment.threads.put(OWNER, { turn: 2, jobId: id(2) });
    const needed = async () => await exclusiveFolder(deployment, turn, await turnsOf(deployment, turn));
    expect(await needed()).toBeUndefined();
    await deployment.jobs.apply(first, { ...first, follow_ups: ['1.0'] });
    expect(await needed()).toBe(nameIn(deployment));
  });
});

describe('a job that an agent started', () => {
  it('runs beside that agent once it runs, and not while its claim may fail', async () => {
    const deployment = quietDeployment();
    const parent = await deployment.store(aJob({ id: OWNER, shares_folder: true }));
    const child = await deployment.store(startedIn(2));
    expect(await mayRun(deployment, parent)).toBe(true);
    expect(await mayRun(deployment, child)).toBe(false);
    await running(deployment, parent);
    expect(await mayRun(deployment, child)).toBe(true);
  });

  it('runs beside all above it, and keeps others out until all these have ended', async () => {
    const deployment = quietDeployment();
    const parent = await running(deployment, aJob({ id: OWNER, shares_folder: true }));
    const child = await running(deployment, startedIn(2));
    const grandchild = await running(deployment, startedIn(3, child.id));
    const [sibling, followUp] = [await deployment.store(startedIn(4)), await deployment.store(inFolder(5))];
    for (const job of [sibling, followUp]) expect(await mayRun(deployment, job)).toBe(false);
    await deployment.jobs.apply(grandchild, { ...grandchild, ...ended });
    for (const job of [sibling, followUp]) expect(await mayRun(deployment, job)).toBe(false);
    await deployment.jobs.apply(child, { ...child, ...ended });
    expect(await mayRun(deployment, followUp)).toBe(false);
    await deployment.jobs.apply(parent, { ...parent, ...ended });
    expect(await mayRun(deployment, followUp)).toBe(true);
    expect(await mayRun(deployment, sibling)).toBe(false);
  });

  it('is woken beside its agent, though another job is before it in line', async () => {
    const deployment = quietDeployment();
    const waits = waitingIn(deployment);
    await running(deployment, aJob({ id: OWNER, shares_folder: true, tool_children: [id(3)] }));
    const first = await deployment.store(inFolder(2, { priority: 5, ...waits }));
    const child = await deployment.store(startedIn(3, OWNER, waits));
    await wakeIfFree(deployment, nameIn(deployment));
    expect(await deployment.read(child)).toMatchObject({ reason: 'waiting_for_worker' });
    expect(await deployment.read(first)).toMatchObject({ reason: 'folder_busy' });
  });
});

describe('before any job has taken the slot', () => {
  it('a follow-up job waits for its running parent', async () => {
    const deployment = quietDeployment();
    await deployment.store(aRunningJob({ id: OWNER }));
    expect(await mayRun(deployment, await deployment.store(inFolder(2)))).toBe(false);
    expect(await mayRun(deployment, await deployment.store(startedIn(3)))).toBe(true);
  });

  it("a follow-up job waits for the running turn of its parent's thread", async () => {
    const deployment = quietDeployment();
    const thread = { thread_id: OWNER, folder_of: OWNER };
    await deployment.store(aJob({ id: OWNER, thread_id: OWNER, turn: 1, ...ended }));
    const turn = await deployment.store(aRunningJob({ id: id(2), turn: 2, continues: OWNER, ...thread }));
    await deployment.threads.put(OWNER, { turn: 2, jobId: id(2) });
    const child = await deployment.store(inFolder(3));
    expect(await mayRun(deployment, child)).toBe(false);
    await deployment.jobs.apply(turn, { ...turn, ...ended });
    expect(await mayRun(deployment, child)).toBe(true);
  });

  it('the continuation of a child that never ran waits for the agent that started the child', async () => {
    const deployment = quietDeployment();
    const parent = await deployment.store(aRunningJob({ id: OWNER, shares_folder: true, tool_children: [id(2)] }));
    const cancelled = { status: 'CANCELLED', reason: 'cancelled_by_request' } as const;
    await deployment.store(startedIn(2, OWNER, { ...cancelled, thread_id: id(2), turn: 1 }));
    const turn = { thread_id: id(2), turn: 2, continues: id(2), after_any: true };
    const continued = await deployment.store(inFolder(3, { parent_id: undefined, ...turn }));
    await deployment.threads.put(id(2), { turn: 2, jobId: continued.id });
    const turns = await turnsOf(deployment, continued);
    expect(await exclusiveFolder(deployment, continued, turns)).toBe(nameIn(deployment));
    expect(await mayRun(deployment, continued)).toBe(false);
    await deployment.jobs.apply(parent, { ...parent, ...ended });
    expect(await mayRun(deployment, continued)).toBe(true);
  });

  it.each([undefined, NEWEST_JOB_SCHEMA + 1])(
    'a parent in another folder is of no concern (schema: %s)',
    async (schema) => {
      const deployment = quietDeployment();
      const Item = { ...aRunningJob({ id: id(2) }), ...(schema !== undefined && { schema }) };
      await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
      const owner = await deployment.store(aJob({ id: OWNER, parent_id: id(2), follow_ups: ['1.0'] }));
      expect(await mayRun(deployment, owner)).toBe(true);
    },
  );

  it('nor is a parent, or the first job of a thread, that is gone', async () => {
    const deployment = quietDeployment();
    expect(await mayRun(deployment, await deployment.store(startedIn(2)))).toBe(true);
    const another = quietDeployment();
    const turn = inFolder(3, { parent_id: undefined, thread_id: id(2), turn: 2, continues: id(2) });
    expect(await mayRun(another, await another.store(turn))).toBe(true);
  });

  it('turns that are gone do not hide the one that runs', async () => {
    const deployment = quietDeployment();
    const thread = { thread_id: OWNER, folder_of: OWNER };
    await deployment.store(aJob({ id: OWNER, thread_id: OWNER, turn: 1, ...ended }));
    await deployment.store(aRunningJob({ id: id(3), turn: 3, continues: OWNER, ...thread }));
    for (const turn of [2, 3]) await deployment.threads.put(OWNER, { turn, jobId: id(turn) });
    expect(await mayRun(deployment, await deployment.store(inFolder(4)))).toBe(false);
  });
});

it('a fork gives up the folder that it has copied', async () => {
  const deployment = quietDeployment();
  await deployment.store(aJob({ id: OWNER, follow_ups: ['1.0'], ...ended }));
  const fork = aJob({ id: id(4), forked_from: OWNER, forked_attempt: 1 });
  expect(await exclusiveFolder(deployment, fork, [])).toBe(nameIn(deployment));
  const copying = await running(deployment, fork);
  const child = await deployment.store(inFolder(2, waitingIn(deployment)));
  expect(await mayRun(deployment, child)).toBe(false);
  await copied(deployment, copying);
  expect(await deployment.read(child)).toMatchObject({ reason: 'waiting_for_worker' });
  expect(await mayRun(deployment, child)).toBe(true);
  expect(await exclusiveFolder(deployment, { ...fork, copied_by: 1 }, [])).toBeUndefined();
});

it('reconcile-jobs wakes jobs whose folder became free, in the folder of another job too', async () => {
  const deployment = quietDeployment();
  const waits = waitingIn(deployment);
  const turn = await deployment.store(aJob({ id: id(2), folder_of: OWNER, continues: OWNER, ...waits }));
  await wakeForFreeResources(deployment);
  expect(await deployment.read(turn)).toMatchObject({ reason: 'waiting_for_worker' });
  const below = await deployment.store(inFolder(3, { cwd: `${OWNER}/docs`, ...waits }));
  await wakeForFreeResources(deployment);
  expect(await deployment.read(below)).toMatchObject({ reason: 'waiting_for_worker' });
});
