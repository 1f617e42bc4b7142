import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { EarlierTurn } from '../../../lib/jobs/threads/conversation.ts';
import type { AttemptContext } from '../../../worker-container/attempt/attempt-context.ts';
import { openJobFolder } from '../../../worker-container/attempt/job-folder.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { WorkFolders } from '../../../worker-container/workspace/work-folders.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
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

async function open(job: Job, earlier?: readonly EarlierTurn[]): Promise<string> {
  const context = { ...quietDeployment(), env: ENV, folders: { workspaces, roots: [] }, account: undefined };
  const lending = new WorkFolders({ account: undefined, folders: context.folders, closed: [] });
  const at = { attemptDir: workspaces, ending: new Ending(), mark: 'test', redaction: new Redaction(), lending };
  const files = { own: workspaces } as never;
  const { cwd } = await openJobFolder(context as unknown as AttemptContext, job, at, { earlier, files, agentEnv: {} });
  return cwd;
}

const followUp = (more: Partial<Job> = {}) =>
  aRunningJob({ id: CHILD, cwd: PARENT, folder_of: PARENT, parent_id: PARENT, ...more });
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

test('nor does a job that continues it', async () => {
  const { parent_id: _parent, ...turn } = followUp({ id: NEXT, continues: CHILD, thread_id: CHILD, turn: 2 });
  const earlier = [{ job: followUp({ status: 'FAILED', thread_id: CHILD, turn: 1 }), attempt: 1 }];
  await expect(open(turn, earlier)).rejects.toThrow(removed);
});

test('a job with its own folder, or one that others share, begins in a new one', async () => {
  const own = aRunningJob({ id: CHILD, parent_id: PARENT });
  expect(await open(own)).toBe(join(workspaces, own.project_id, CHILD));
  const shared = aRunningJob({ id: CHILD, cwd: 'work', parent_id: PARENT });
  expect(await open(shared)).toBe(join(workspaces, shared.project_id, 'work'));
});
