import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import {
  acquireFolder,
  acquireForCommands,
  exclusiveFolder,
  folderName,
  leaveFolder,
  wakeIfFree,
} from '../../../../lib/jobs/admission/folder-slots.ts';
import { isAwaited, jobsBelow, sharesFolder } from '../../../../lib/jobs/admission/shared-folders.ts';
import type { JobDeployment } from '../../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { NEWEST_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { settingsKey } from '../../../../lib/projects/project-settings.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aRunningJob } from '../a-job.ts';

const id = (last: number) => `job_0000000000000000000000000${last}`;
const OWNER = id(1);
const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1 } as const;
/** A job in the folder of the owner, whose agent started it. */
const startedIn = (last: number, parent = OWNER, more: Partial<Job> = {}) =>
  aJob({ id: id(last), cwd: OWNER, folder_of: OWNER, parent_id: parent, created_by: `job:${parent}`, ...more });
const nameIn = ({ folders }: QuietDeployment) => folderName(folders, aJob({ id: OWNER })) ?? '';
const mayRun = async (deployment: QuietDeployment, job: Job) =>
  await acquireFolder(deployment, job, nameIn(deployment));
const waitsIn = (folder: string) => ({ reason: 'folder_busy', parked: 'folder_busy', folder }) as const;

/** Stores a job of a schema that only later versions read. */
async function storeNewer({ table, env }: QuietDeployment, job: Job): Promise<void> {
  const Item = { ...job, schema: NEWEST_JOB_SCHEMA + 1 };
  await table.send(new PutCommand({ TableName: env.JOBS_TABLE, Item }));
}

/** Records who has taken the folder last; that claim is over. */
async function taken(deployment: QuietDeployment, { id: job_id }: Pick<Job, 'id'>): Promise<void> {
  const slot = { job_id, job_version: 0, taken_at: '2026-11-20T10:00:00.000Z' };
  await deployment.slots.replace(nameIn(deployment), undefined, slot);
}

describe('a folder is needed by one job alone', () => {
  it('if its project says so of the folders that jobs name, not of private ones', async () => {
    const deployment = quietDeployment();
    const Item = { ...settingsKey('local_project'), settings: { exclusive_cwd: true } };
    await deployment.table.send(new PutCommand({ TableName: deployment.env.REGISTRY_TABLE, Item }));
    expect(await exclusiveFolder(deployment, aJob(), [])).toBeUndefined();
    expect(await exclusiveFolder(deployment, aJob({ cwd: 'work' }), [])).toMatch(/^[0-9a-f]{20}$/);
  });

  it.each<[string, (deployment: QuietDeployment) => Promise<unknown>, boolean]>([
    ['has follow-up jobs', ({ store }) => store({ id: OWNER, follow_ups: ['1.0'], ...ended }), true],
    ['is alone', ({ store }) => store({ id: OWNER, ...ended }), false],
    ['is gone', async () => undefined, false],
    ['is of a later version', (deployment) => storeNewer(deployment, aJob({ id: OWNER })), false],
  ])('if a fork copies it, whose source %s', async (_what, store, needs) => {
    const deployment = quietDeployment();
    await store(deployment);
    const fork = aJob({ id: id(2), forked_from: OWNER });
    expect(await exclusiveFolder(deployment, fork, [])).toBe(needs ? nameIn(deployment) : undefined);
  });

  it('under one name for a private folder with all below it, and no name outside', () => {
    const { folders } = quietDeployment();
    const nameOf = (cwd: string) => folderName(folders, aJob({ cwd }));
    expect(nameOf(`${OWNER}/docs`)).toBe(nameOf(OWNER));
    expect(nameOf('work/docs')).not.toBe(nameOf('work'));
    expect(nameOf('../outside')).toBeUndefined();
  });

  it('as far as the turns of its thread are known', () => {
    const { folders } = quietDeployment();
    const turns = [undefined, 'newer' as const].map((job, at) => ({ turn: at + 1, jobId: id(at + 1), job }));
    expect(sharesFolder(folders, aJob({ id: OWNER }), turns)).toBe(false);
  });
});

describe('commands of an ended job that have not begun', () => {
  const pending = { job_id: OWNER, attempt: 1, binding: 'b', name: 'b', mode: 'custom', attempts: 0 } as const;
  async function withCommands(state: JobDeployment['state'] = 'pending'): Promise<QuietDeployment> {
    const deployment = quietDeployment();
    const job = await deployment.store({ id: OWNER, ...ended, bindings_pending: [1], thread_id: OWNER, turn: 1 });
    await deployment.deployments.replace(undefined, { ...pending, created_at: '', due_at: '', state });
    await taken(deployment, job);
    return deployment;
  }

  it.each<[string, Partial<Job>, boolean]>([
    ['keep another job out', {}, false],
    ['keep a turn of another thread out', { thread_id: id(3), turn: 2 }, false],
    ['wait for a turn of the thread', { thread_id: OWNER, turn: 2 }, true],
    ['wait for a fork that copies the folder', { forked_from: OWNER }, true],
    ['keep a fork out that has its copy', { forked_from: OWNER, copied_by: 1 }, false],
  ])('%s', async (_what, more, may) => {
    const deployment = await withCommands();
    expect(await mayRun(deployment, await deployment.store({ id: id(2), ...more }))).toBe(may);
  });

  it('keep no commands of another job out, unless they run', async () => {
    for (const [state, may] of [['pending', true] as const, ['running', false] as const]) {
      const deployment = await withCommands(state);
      const other = await deployment.store({ id: id(2), ...ended });
      expect(await acquireForCommands(deployment, other, nameIn(deployment))).toBe(may);
    }
  });
});

describe('when a job has left a folder', () => {
  it('the next of those that wait for it is woken', async () => {
    const deployment = quietDeployment();
    const owner = await deployment.store({ id: OWNER, follow_ups: ['1.0'], ...ended });
    const waiting = await deployment.store(startedIn(2, OWNER, waitsIn(nameIn(deployment))));
    await leaveFolder(deployment, owner);
    expect(await deployment.read(waiting)).toMatchObject({ reason: 'waiting_for_worker' });
  });

  it('that no other needs, none is woken', async () => {
    const deployment = quietDeployment();
    const waiting = await deployment.store(startedIn(2, OWNER, waitsIn('undefined')));
    await leaveFolder(deployment, await deployment.store({ id: OWNER, ...ended }));
    expect(await deployment.read(waiting)).toEqual(waiting);
  });
});

it('beside an agent that runs, a job is woken that it waits for, unless that waits for another folder or job', async () => {
  const deployment = quietDeployment();
  const [here, elsewhere] = [waitsIn(nameIn(deployment)), waitsIn('elsewhere')];
  const children = { shares_folder: true, tool_children: [id(2), id(3)] };
  await taken(deployment, await deployment.store(aRunningJob({ id: OWNER, ...children })));
  const other = await deployment.store(startedIn(2, OWNER, elsewhere));
  const child = await deployment.store(startedIn(3, OWNER, here));
  await wakeIfFree(deployment, nameIn(deployment));
  expect(await deployment.read(other)).toEqual(other);
  expect(await deployment.read(child)).toMatchObject({ reason: 'waiting_for_worker' });
});

it('no job is woken beside one that another agent started', async () => {
  const deployment = quietDeployment();
  const folder = nameIn(deployment);
  await deployment.store(aRunningJob({ id: OWNER, shares_folder: true, tool_children: [id(2), id(3)] }));
  const running = { status: 'RUNNING', reason: 'running', attempt: 1, folder } as const;
  await taken(deployment, await deployment.store(startedIn(2, OWNER, running)));
  const child = await deployment.store(startedIn(3, OWNER, waitsIn(folder)));
  await wakeIfFree(deployment, folder);
  expect(await deployment.read(child)).toEqual(child);
});

describe('jobs above and below', () => {
  const user = { id: OWNER, isRunning: true, tool_children: [id(2)] };
  /** Each job has started the other, as no agent can. */
  const inCircle = () => {
    let reads = 0;
    const jobOf = (one: string) => {
      reads += 1;
      if (reads > 100) throw new Error('the jobs are read without end');
      const [self, other] = one === OWNER ? [1, id(2)] : [2, OWNER];
      return startedIn(self, other, { tool_children: [other] });
    };
    const jobs = {
      find: async (one: string) => jobOf(one),
      findAll: async (ids: readonly string[]) => new Map(ids.map((one) => [one, jobOf(one)])),
    };
    return { jobs: jobs as unknown as QuietDeployment['jobs'] };
  };

  it('are read only so far', async () => {
    expect(await isAwaited(inCircle(), startedIn(2), () => false)).toBe(false);
    const below = [];
    for await (const job of jobsBelow(inCircle(), [user])) below.push(job);
    expect(below.length).toBeLessThan(100);
  });

  it('are left out if they are gone, or of a later version', async () => {
    const deployment = quietDeployment();
    await storeNewer(deployment, aJob({ id: id(2) }));
    const below = [];
    for await (const job of jobsBelow(deployment, [{ ...user, tool_children: [id(2), id(3)] }])) below.push(job);
    expect(below).toEqual([]);
    for (const parent of [id(2), id(3)])
      expect(await isAwaited(deployment, startedIn(4, parent), () => true)).toBe(false);
  });

  it.each(['gone', 'of a later version'])('keep no other out if they are %s', async (what) => {
    const deployment = quietDeployment();
    if (what !== 'gone') await storeNewer(deployment, aJob({ id: id(2) }));
    await taken(deployment, await deployment.store(startedIn(3, id(2), ended)));
    expect(await mayRun(deployment, await deployment.store(startedIn(4)))).toBe(true);
  });

  it('keep no other out while they work elsewhere', async () => {
    const deployment = quietDeployment();
    await deployment.store(aRunningJob({ id: id(2), cwd: 'elsewhere', tool_children: [id(3)] }));
    await taken(deployment, await deployment.store(startedIn(3, id(2), ended)));
    expect(await mayRun(deployment, await deployment.store(startedIn(4)))).toBe(true);
  });
});
