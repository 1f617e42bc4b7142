import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { putFile, readOwned, removeTree, takeTree } from '../service-accounts/untrusted-files.ts';
import { type GitSurroundings, git } from './git.ts';
import type { KeptClone } from './kept-clone.ts';

/** A job's own working copy of its project's repository. */
export interface JobWorktree {
  /** Where its files are. */
  readonly path: string;
  /** The shared clone, and git's own record of this worktree in it. */
  readonly clone: string;
  readonly gitDir: string;
  /** The commit that it began at. */
  readonly base: string;
}

/** Says that a worktree was made whole; an attempt that was killed on the way has left none. */
const READY = 'promptq-ready';
const readySchema = z.object({ base: z.string() });

/**
 * The worktree of a job: made at its first attempt, gone on with in later ones, so that a retry keeps what there is. It
 * is on a branch of its own, `promptq/ID`.
 * @param path the job's folder; its last part, the job's id, is also git's name of the worktree.
 */
export async function openWorktree(
  surroundings: GitSurroundings,
  {
    clone,
    jobId,
    path,
    lend,
  }: {
    readonly clone: KeptClone;
    readonly jobId: string;
    readonly path: string;
    /** Makes the folder, and gives it to whom git runs as. */
    readonly lend: () => Promise<unknown>;
  },
): Promise<JobWorktree> {
  const gitDir = join(clone.dir, 'worktrees', jobId);
  const known = await readyBase(gitDir, path);
  if (known !== undefined) {
    await lend();
    // Git works for whom the record belongs to.
    if (surroundings.account !== undefined) await takeTree(gitDir, surroundings.account);
    return { path, clone: clone.dir, gitDir, base: known };
  }
  await makeRoom(gitDir, path);
  await lend();
  const branch = `promptq/${jobId}`;
  await git(surroundings, ['worktree', 'add', '--quiet', '--force', '-B', branch, '--', path, clone.base], {
    repository: { gitDir: clone.dir, commonDir: clone.dir },
  });
  await putFile(join(gitDir, READY), JSON.stringify({ base: clone.base }));
  return { path, clone: clone.dir, gitDir, base: clone.base };
}

/** Whether a setup command has been through in this worktree. */
export async function isSetUp(worktree: JobWorktree, setup: string): Promise<boolean> {
  return (await readOwned(join(worktree.gitDir, SETUP), anybody)) === setup;
}

export async function markSetUp(worktree: JobWorktree, setup: string): Promise<void> {
  await putFile(join(worktree.gitDir, SETUP), setup);
}

const SETUP = 'promptq-setup';
/** What stands in these files is no secret, and what they say an agent could bring about without them. */
const anybody = () => true;

async function readyBase(gitDir: string, path: string): Promise<string | undefined> {
  const text = await readOwned(join(gitDir, READY), anybody);
  if (text === undefined || (await stat(path).catch(() => undefined)) === undefined) return undefined;
  return readySchema.parse(JSON.parse(text)).base;
}

/** Half-made worktrees are thrown away; a folder of the job from before its project had a repository is put aside. */
async function makeRoom(gitDir: string, path: string): Promise<void> {
  const isHalfMade = (await stat(gitDir).catch(() => undefined)) !== undefined;
  await removeTree(gitDir);
  if (isHalfMade) await removeTree(path);
  else await rename(path, `${path}.earlier`).catch(() => undefined);
}
