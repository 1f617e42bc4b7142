import { constants, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { LIMITS } from '../../lib/contract/limits.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import { ownerOf } from '../service-accounts/service-account.ts';
import { giveTree, removeTree } from '../service-accounts/untrusted-files.ts';
import { type GitCall, GitRefusedError, type GitSurroundings, git, JOBS_REPOSITORY_LIMIT_MS } from './git.ts';
import { bundleBeside, type KeptClone, recordPath } from './kept-clone.ts';
import { changeRecord, type JobWorktree, readRecord } from './worktree-record.ts';
import { emptySubmodules, makeObserver, unbundle, worktreeTree } from './worktree-tree.ts';

/** A worktree as it was at the end of a turn: what a fork begins with. */
export interface Snapshot {
  /** The commit that the forked worktree started from. */
  readonly base: string;
  /** What the agent of the forked worktree began with. */
  readonly start: string;
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

/** The ref of what an agent began with, in the observer and in the bundle. */
const START = 'refs/promptq/start';

const AUTHOR = { 'user.name': 'Promptq', 'user.email': 'agent@promptq.invalid' };

/**
 * Keeps what a new worktree has after the checkout and the setup command, so that it is not taken for the agent's work:
 * line ends that differ from the commit, say, or large files that the setup command fetched.
 * @returns warnings for the job
 */
export async function keepStart(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  setup: string | undefined,
): Promise<readonly string[]> {
  if ((await readRecord(worktree.record))?.start !== undefined) return [];
  try {
    const warnings = await emptySubmodules(surroundings, worktree.path);
    await changeRecord(worktree.record, { start: await startOf(surroundings, worktree, setup) });
    return warnings;
  } catch (error) {
    if (error instanceof CancelledBeforeStartError || !(error instanceof Error)) throw error;
    await changeRecord(worktree.record, { start: worktree.base });
    return [`changes: they include those of the checkout and the setup command: ${error.message}`];
  }
}

async function startOf(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  setup: string | undefined,
): Promise<string> {
  const { path, base, record } = worktree;
  const checkedOut: GitCall = { repository: { gitDir: join(path, '.git'), workTree: path } };
  const attributes = ['ls-files', '--', ':(glob)**/.gitattributes'];
  // The usual case costs no comparison.
  if (setup === undefined && (await git(surroundings, attributes, checkedOut)) === '') return base;
  const observer = await makeObserver(surroundings, worktree, 'start.git');
  const { tree } = await worktreeTree(surroundings, worktree, observer);
  const ask = async (...args: string[]) => (await git(surroundings, args, { ...observer, settings: AUTHOR })).trim();
  if (tree === (await ask('rev-parse', `${base}^{tree}`))) return base;
  const commit = await ask('commit-tree', '-p', base, '-m', 'Promptq: after the setup command', tree);
  await ask('update-ref', START, commit);
  await keepBundle(surroundings, observer, { record, refs: [START, `^${base}`] });
  return commit;
}

/**
 * Keeps a commit of a worktree's files under a ref of the worker's, where no job can write or read. The worktree and its
 * repository stay as they are: the commit is made in the observer's repository.
 * @param kept.observer the repository that has the tree
 */
export async function keepSnapshot(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  { observer, turn, tree }: { readonly observer: GitCall; readonly turn: TurnEnd; readonly tree: string },
): Promise<void> {
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
  const start = (await readRecord(worktree.record))?.start ?? worktree.base;
  if (start !== worktree.base) await ask('update-ref', START, start);
  const refs = [name, ...(start === worktree.base ? [] : [START]), `^${worktree.base}`];
  await keepBundle(surroundings, { ...observer, env }, { record: worktree.record, refs });
  await changeRecord(worktree.record, { snapshot: { turn: nameOf(turn), commit } });
}

/** Replaces the bundle beside a worktree's record. */
async function keepBundle(
  surroundings: GitSurroundings,
  observer: GitCall,
  { record, refs }: { readonly record: string; readonly refs: readonly string[] },
): Promise<void> {
  const folder = join(surroundings.attemptDir, 'snapshot');
  await removeTree(folder);
  await mkdir(folder, { mode: 0o700 });
  await giveTree(folder, surroundings.account);
  await git(surroundings, ['bundle', 'create', '--quiet', join(folder, 'bundle'), ...refs], observer);
  await takeBundle(surroundings, join(folder, 'bundle'), bundleBeside(record));
  await removeTree(folder);
}

/** The newest snapshot of a job's worktree. @returns undefined: there is none as of this turn's end */
export async function findSnapshot(clone: KeptClone, jobId: string, turn: TurnEnd): Promise<Snapshot | undefined> {
  const record = await readRecord(recordPath(clone, jobId));
  if (record?.snapshot?.turn !== nameOf(turn)) return undefined;
  const { base, start = base, snapshot } = record;
  return { base, start, commit: snapshot.commit, bundle: bundleBeside(recordPath(clone, jobId)) };
}

/** Puts the files of a snapshot in a new repository that borrows the kept clone's objects. HEAD is the source's. */
export async function restoreSnapshot(
  surroundings: GitSurroundings,
  { commit, bundle }: Snapshot,
  repository: NonNullable<GitCall['repository']>,
): Promise<void> {
  await unbundle(surroundings, bundle, { repository });
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
