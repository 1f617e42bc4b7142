import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { EarlierTurn } from '../../../lib/jobs/threads/conversation.ts';
import type { AgentAttempt } from '../../../worker-container/attempt/attempt.ts';
import { openJobFolder } from '../../../worker-container/attempt/job-folder.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { WorkFolders } from '../../../worker-container/workspace/work-folders.ts';
import { aJob, aRunningJob, followUpOf } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const [PARENT, CHILD, NEXT] = ['1', '2', '3'].map((last) => `job_0000000000000000000000000${last}`) as [
  string,
  string,
  string,
];
let workspaces: string;
beforeEach(async () => {
  workspaces = await mkdtemp(join(tmpdir(), 'promptq-folders-'));
  onTestFinished(() => rm(workspaces, { recursive: true, force: true }));
});

async function open(job: Job, earlier?: readonly EarlierTurn[], more: object = {}): Promise<string> {
  const env = { ...ENV, PATH: process.env.PATH ?? '', PROMPTQ_REPOSITORY_LOOPBACK: true };
  const folders = { workspaces, roots: [] };
  const context = { ...quietDeployment(), ...more, env, folders, account: undefined };
  const lending = new WorkFolders({ account: undefined, folders: context.folders, closed: [] });
  const at = { folder: workspaces, ending: new Ending(), mark: 'test', redaction: new Redaction(), lending };
  const known = { worker: context, job, reads: { settings: () => ({}) }, files: { own: workspaces } };
  const attempt = { ...at, ...known } as unknown as AgentAttempt;
  const { cwd } = await openJobFolder(attempt, { earlier, agentEnv: {} });
  return cwd;
}

const followUp = (more: Partial<Job> = {}) =>
  aRunningJob({ id: CHILD, cwd: PARENT, folder_of: PARENT, ...followUpOf(PARENT), ...more });
const removed = `the folder of job ${PARENT}, in which this one works, was removed because of its age`;

test.each([PARENT, `${PARENT}/below`])(
  "a follow-up job does not begin in an empty folder in place of its parent's: %s",
  async (cwd) => {
    const job = followUp({ cwd });
    const parents = join(workspaces, job.project_id, PARENT);
    await expect(open(job)).rejects.toThrow(removed);
    await expect(stat(parents)).rejects.toThrow('ENOENT');
    await mkdir(parents, { recursive: true });
    expect(await open(job)).toBe(join(workspaces, job.project_id, cwd));
  },
);

const turn = (job: Partial<Job>) => ({ job: aJob({ attempt: 1, status: 'SUCCEEDED', ...job }), attempt: 1 });

test('a turn does not begin in an empty folder in place of the one that its thread worked in', async () => {
  const job = aRunningJob({ id: CHILD, folder_of: PARENT });
  const earlier = [turn({ id: PARENT })];
  const folder = join(workspaces, job.project_id, PARENT, 'work');
  await expect(open(job, earlier)).rejects.toThrow('the folder of the thread was removed because of its age');
  await mkdir(folder, { recursive: true });
  expect(await open(job, earlier)).toBe(folder);
});

test.each<[string, Partial<Job>, readonly Partial<Job>[] | undefined]>([
  ['it is the first', { folder_of: PARENT }, undefined],
  ['it shares another folder', { folder_of: PARENT, cwd: 'work' }, [{ id: PARENT }]],
  ['it gets a new folder', {}, [{ id: PARENT }]],
  ['the turn before worked elsewhere', { folder_of: PARENT }, [{ id: PARENT, cwd: 'work' }]],
  ['another job worked elsewhere', { folder_of: PARENT }, [{ id: PARENT, status: 'FAILED' }, { id: NEXT }]],
  ['the turn before failed', { folder_of: PARENT }, [{ id: PARENT, status: 'FAILED' }]],
  ['the turn before worked in the folder of its parent', {}, [{ id: NEXT, ...followUpOf(PARENT), cwd: PARENT }]],
])('a turn begins in a folder that is not there yet if %s', async (_why, more, earlier) => {
  const job = aRunningJob({ id: CHILD, ...more });
  const folder = join(workspaces, job.project_id, job.cwd ?? `${job.folder_of ?? CHILD}/work`);
  expect(await open(job, earlier?.map(turn))).toBe(folder);
});

test('a turn after a fork that was never copied says so', async () => {
  const job = aRunningJob({ id: CHILD, folder_of: PARENT });
  const fork = { id: PARENT, forked_from: NEXT, status: 'FAILED' } as const;
  await expect(open(job, [turn(fork)])).rejects.toThrow(`the folder of job ${PARENT}, a fork, was never copied`);
  const folder = join(workspaces, job.project_id, PARENT, 'work');
  expect(await open(job, [turn({ ...fork, copied_by: 1 })])).toBe(folder);
});

/** A fork of a job, which runs, and the deployment that knows both. */
async function forked(source: Partial<Job> = {}) {
  const deployment = quietDeployment();
  const thread = { thread_id: PARENT, turn: 1, attempt: 1, status: 'SUCCEEDED' } as const;
  await deployment.store(aJob({ id: PARENT, ...thread, ...source }));
  const fork = { id: CHILD, forked_from: PARENT, forked_attempt: 1, thread_id: CHILD, turn: 1 };
  const job = await deployment.store(aRunningJob(fork));
  const own = (id: string) => join(workspaces, job.project_id, id, 'work');
  return { deployment, job, own };
}

test('a fork of a folder that is gone, or may not be used any longer, says so', async () => {
  const gone = await forked();
  const removedSource = `the folder of job ${PARENT}, which this one forks, was removed because of its age`;
  await expect(open(gone.job, undefined, gone.deployment)).rejects.toThrow(removedSource);
  const elsewhere = await forked({ cwd: '/etc' });
  const refused = open(elsewhere.job, undefined, elsewhere.deployment);
  await expect(refused).rejects.toThrow('an absolute folder must lie under');
});
