import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { lacksCopy } from '../../lib/jobs/lifecycle/thread.ts';
import {
  type Folders,
  namesBelow,
  ownerOfFolder,
  ownFolder,
  resolveFolder,
  workingFolder,
} from '../../lib/jobs/lifecycle/working-folder.ts';
import type { EarlierTurn } from '../../lib/jobs/threads/conversation.ts';
import { copyFolder, placeCopy } from '../forks/copy-folder.ts';
import { copied, sourceToCopy } from '../forks/fork-source.ts';
import { openRepository, type SourceWorktree } from '../repository/job-repository.ts';
import type { JobWorktree } from '../repository/worktree-record.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import type { AgentAttempt } from './attempt.ts';

/**
 * Opens the folder that a job works in: its worktree if its project has a repository, else a plain folder. A fork first
 * gets its copy of the forked job's.
 * @param earlier the turns before the job; undefined: it begins a conversation
 * @throws SettingsUnreadError; CancelledBeforeStartError; Error with a plain message if the job can't work there.
 */
export async function openJobFolder(
  attempt: AgentAttempt,
  {
    earlier,
    agentEnv,
  }: {
    readonly earlier: readonly EarlierTurn[] | undefined;
    readonly agentEnv: Readonly<Record<string, string>>;
  },
): Promise<{ readonly cwd: string; readonly worktree: JobWorktree | undefined }> {
  const { worker, job, reads, lending, files, folder: attemptDir, mark, ending, redaction } = attempt;
  const { env, folders, account, onSurvivors, killTimeoutMs } = worker;
  const folder = workingFolder(folders, job);
  if ('rejected' in folder) throw new Error(`cwd: ${folder.rejected}`);
  const { path } = folder;
  await requireFolder(job, path, earlier);
  await requireParentsFolder(folders, job, earlier);
  const source = await rethrowTransient(() => sourceToCopy(worker, job));
  const fork = source && (await forkedFolder(attempt, source));
  const lend = async () => await lending.lend(path, job);
  const calls = { mark, ending, redaction, account, onSurvivors, killTimeoutMs };
  const worktree = await openRepository(
    worker,
    { ...calls, env, attemptDir },
    {
      job,
      settings: reads.settings(),
      path,
      workspaces: folders.workspaces,
      lend,
      agentEnv,
      setupLog: join(files.own, 'setup.log'),
      ...(fork !== undefined && { source: fork }),
    },
  );
  if (worktree !== undefined) return { cwd: worktree.path, worktree };
  if (fork !== undefined) {
    await fork.lend();
    await lending.lend(dirname(path), job);
    await copyFolder({ ...calls, from: fork.path, to: path, attempt: job.attempt });
    await fork.close();
    await fork.onCopied();
  }
  if (job.forked_from !== undefined) await placeCopy(path, job.copied_by ?? job.attempt);
  return { cwd: await lend(), worktree };
}

/** @throws Error if the folder that an earlier turn worked in was removed because of its age, or never copied */
async function requireFolder(job: Job, path: string, earlier: readonly EarlierTurn[] | undefined): Promise<void> {
  if (earlier === undefined || job.cwd !== undefined) return;
  const users = earlier.filter(({ job: other }) => other.cwd === undefined && ownFolder(other) === ownFolder(job));
  const owner = users.find(({ job: { id } }) => id === job.folder_of)?.job;
  if (owner !== undefined && lacksCopy(owner))
    throw new Error(`the folder of job ${owner.id}, a fork, was never copied: retry that job`);
  const wasUsed = users.some(({ job: other }) => other.status === 'SUCCEEDED');
  if (!wasUsed || (await lstat(path).catch(() => undefined)) !== undefined) return;
  throw new Error('the folder of the thread was removed because of its age; continue with "fresh_folder": true');
}

/** @throws Error if the folder that a follow-up job, or a turn of its thread, got from its parent was removed */
async function requireParentsFolder(folders: Folders, job: Job, earlier: readonly EarlierTurn[] = []): Promise<void> {
  const owner = ownerOfFolder(folders, job);
  // A job has follow-up jobs once it has worked in its folder.
  const isInherited = (user: Job) =>
    user.ancestors !== undefined && user.id !== owner && ownerOfFolder(folders, user) === owner;
  if (owner === undefined || ![job, ...earlier.map((turn) => turn.job)].some(isInherited)) return;
  const folder = resolveFolder(folders, job);
  const names = 'path' in folder ? namesBelow(folders.workspaces, folder.path) : undefined;
  if (names === undefined) return;
  const root = join(folders.workspaces, ...names.slice(0, 2));
  if ((await lstat(root).catch(() => undefined)) !== undefined) return;
  throw new Error(`the folder of job ${owner}, in which this one works, was removed because of its age`);
}

/** The folder of the job that a fork forks. @throws Error if it was removed because of its age */
async function forkedFolder({ worker, job, lending }: AgentAttempt, source: Job): Promise<SourceWorktree> {
  const folder = resolveFolder(worker.folders, source);
  if ('rejected' in folder) throw new Error(folder.rejected);
  const { path } = folder;
  if ((await lstat(path).catch(() => undefined)) === undefined)
    throw new Error(`the folder of job ${source.id}, which this one forks, was removed because of its age`);
  return {
    job: source,
    path,
    lend: async () => await lending.lend(path, source),
    close: async () => await lending.close(),
    onCopied: async () => await rethrowTransient(() => copied(worker, job)),
  };
}
