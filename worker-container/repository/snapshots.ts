import { constants, copyFile, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LIMITS } from '../../lib/contract/limits.ts';
import { ownerOf } from '../service-accounts/service-account.ts';
import { giveTree, removeTree } from '../service-accounts/untrusted-files.ts';
import { type GitCall, GitRefusedError, type GitSurroundings, git, JOBS_REPOSITORY_LIMIT_MS } from './git.ts';
import { bundleBeside, type KeptClone, recordPath } from './kept-clone.ts';
import { changeRecord, type JobWorktree, readRecord } from './worktree-record.ts';

/** A worktree as it was at the end of a turn: what a fork begins with. */
export interface Snapshot {
  /** The commit that the forked worktree started from. */
  readonly base: string;
  /** Its parent is the worktree's HEAD; its tree has all files but ignored ones. */
  readonly commit: string;
  /** git's file with the objects that the kept clone lacks. */
  readonly bundle: string;
}

/** Names the end of a turn. */
export interface TurnEnd {
  readonly id: string;
  readonly attempt: number;
}

const AUTHOR = { 'user.name': 'Promptq', 'user.email': 'agent@promptq.invalid' };

/**
 * Keeps a commit of a worktree's files under a ref of the worker's, where no job can write or read. The worktree and its
 * repository stay as they are: the commit is made in the observer's repository.
 * @param observer the repository that reads the worktree, with its index
 */
export async function keepSnapshot(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  { observer, turn }: { readonly observer: GitCall; readonly turn: TurnEnd },
): Promise<void> {
  // Without the job's own objects, whose times would change where git finds that it has one.
  await git(surroundings, ['add', '--all', '--', worktree.path], observer);
  const tree = (await git(surroundings, ['write-tree'], observer)).trim();
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(worktree.path, '.git', 'objects') };
  const ask = async (...args: string[]) =>
    (await git(surroundings, args, { ...observer, env, settings: AUTHOR })).trim();
  const own: GitCall = { repository: { gitDir: join(worktree.path, '.git') }, limit: JOBS_REPOSITORY_LIMIT_MS };
  const found = await git(surroundings, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], own).catch(
    (error: unknown) => {
      // Git's own answer: the job has left its repository. Otherwise a fork would lack the job's commits.
      if (!(error instanceof GitRefusedError)) throw error;
      return '';
    },
  );
  const head = /^[0-9a-f]{40,64}$/.test(found.trim()) ? found.trim() : worktree.base;
  const name = `refs/promptq/turns/${turn.id}/${turn.attempt}`;
  const commit = await ask('commit-tree', '-p', head, '-m', `Promptq: ${turn.id}/${turn.attempt}`, tree);
  await ask('update-ref', name, commit);
  const folder = join(surroundings.attemptDir, 'snapshot');
  await removeTree(folder);
  await mkdir(folder, { mode: 0o700 });
  await giveTree(folder, surroundings.account);
  await ask('bundle', 'create', '--quiet', join(folder, 'bundle'), name, `^${worktree.base}`);
  await takeBundle(surroundings, join(folder, 'bundle'), bundleBeside(worktree.record));
  await changeRecord(worktree.record, { snapshot: { turn: nameOf(turn), commit } });
  await removeTree(folder);
}

/** The newest snapshot of a job's worktree. @returns undefined: there is none as of this turn's end */
export async function findSnapshot(clone: KeptClone, jobId: string, turn: TurnEnd): Promise<Snapshot | undefined> {
  const record = await readRecord(recordPath(clone, jobId));
  if (record?.snapshot?.turn !== nameOf(turn)) return undefined;
  return { base: record.base, commit: record.snapshot.commit, bundle: bundleBeside(recordPath(clone, jobId)) };
}

/** Puts the files of a snapshot in a new repository that borrows the kept clone's objects. HEAD is the source's. */
export async function restoreSnapshot(
  surroundings: GitSurroundings,
  { commit, bundle }: Snapshot,
  repository: NonNullable<GitCall['repository']>,
): Promise<void> {
  const folder = join(surroundings.attemptDir, 'restored');
  await removeTree(folder);
  await mkdir(folder, { mode: 0o700 });
  await copyFile(bundle, join(folder, 'bundle'));
  await giveTree(folder, surroundings.account);
  await git(surroundings, ['bundle', 'unbundle', join(folder, 'bundle')], { repository });
  await removeTree(folder);
  await git(surroundings, ['reset', '--hard', '--quiet', commit], { repository });
  // What was not committed is not committed in the fork either.
  await git(surroundings, ['reset', '--mixed', '--quiet', `${commit}^`], { repository });
}

/** Copies a file that git wrote under the slot's account, not through a link, into the worker's own folder. */
async function takeBundle({ account }: GitSurroundings, from: string, to: string): Promise<void> {
  const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const found = await file.stat();
  if (!found.isFile() || found.nlink !== 1 || found.uid !== ownerOf(account) || found.size > LIMITS.forkFolderBytes) {
    await file.close();
    throw new Error('it has more than 10 GiB');
  }
  const making = `${to}.making`;
  await removeTree(making);
  const copy = await open(making, 'wx', 0o600);
  await pipeline(file.createReadStream(), copy.createWriteStream());
  await rename(making, to);
}

function nameOf({ id, attempt }: TurnEnd): string {
  return `${id}/${attempt}`;
}
