import { constants, copyFile, lstat, mkdir, open, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { localFolder } from '../../lib/projects/repository-address.ts';
import { putFile, removeTree } from '../service-accounts/untrusted-files.ts';
import { type GitSurroundings, git } from './git.ts';
import { bundleBeside, type KeptClone, recordPath } from './kept-clone.ts';
import { restoreSnapshot, type Snapshot } from './snapshots.ts';
import { changeRecord, type JobWorktree, readRecord, type WorktreeRecord } from './worktree-record.ts';

/**
 * The worktree of a job. The first attempt creates it, and later ones continue in it, so that a retry keeps the work.
 * It has its own repository and is on its own branch `promptq/ID`.
 * @param path the job's folder.
 */
export async function openWorktree(
  surroundings: GitSurroundings,
  {
    clone,
    jobId,
    path,
    lend,
    from,
  }: {
    readonly clone: KeptClone;
    /** The job that the worktree is named after: the first of its thread. */
    readonly jobId: string;
    readonly path: string;
    /** Creates the folder, and gives it to the account that git runs under. */
    readonly lend: () => Promise<unknown>;
    /** What it begins with; absent: the clone's commit. */
    readonly from?: Snapshot | undefined;
  },
): Promise<JobWorktree> {
  const existing = await findWorktree(clone, jobId, path);
  if (existing !== undefined) {
    await lend();
    return existing;
  }
  const record = recordPath(clone, jobId);
  const known = await readRecord(record);
  const isThere = (await lstat(path).catch(() => undefined)) !== undefined;
  const warnings: string[] = [];
  if (known !== undefined && !known.isReady) await removeTree(path);
  else if (isThere) warnings.push(await putAside(path));
  const base = from?.base ?? clone.base;
  const start = from?.start;
  if (from !== undefined && start !== base) await copyFile(from.bundle, bundleBeside(record));
  await putFile(record, JSON.stringify({ base, isReady: false } satisfies WorktreeRecord));
  await lend();
  await makeRepository(surroundings, { clone, path, branch: `promptq/${jobId}`, from });
  await putFile(record, JSON.stringify({ base, start, isReady: true } satisfies WorktreeRecord));
  return { path, clone: clone.dir, record, base, warnings };
}

/** The worktree that a job's folder is. @returns undefined: it is none of this clone */
export async function findWorktree(clone: KeptClone, jobId: string, path: string): Promise<JobWorktree | undefined> {
  const record = recordPath(clone, jobId);
  const known = await readRecord(record);
  const isThere = (await lstat(path).catch(() => undefined)) !== undefined;
  return known?.isReady === true && isThere
    ? { path, clone: clone.dir, record, base: known.base, warnings: [] }
    : undefined;
}

/** Whether a setup command has succeeded in this worktree. */
export async function isSetUp({ record }: JobWorktree, setup: string): Promise<boolean> {
  return (await readRecord(record))?.setup === setup;
}

export async function markSetUp({ record }: JobWorktree, setup: string): Promise<void> {
  await changeRecord(record, { setup });
}

/**
 * Sets an author so that agents can commit, and lets git write many files at once: workspaces may be on a network file
 * system, where each file takes a few round trips. The rest overrides what the owner of a laptop may have configured
 * and needs a person or a program that a job lacks. Without a helper, no command of a job gets the owner's credentials.
 */
const CONFIG = `[user]
\tname = Promptq
\temail = agent@promptq.invalid
[checkout]
\tworkers = 16
[commit]
\tgpgSign = false
\ttemplate = /dev/null
[tag]
\tgpgSign = false
\tforceSignAnnotated = false
[push]
\tgpgSign = false
[log]
\tshowSignature = false
[merge]
\tverifySignatures = false
[core]
\taskPass = /bin/false
\teditor = true
\tfsmonitor = false
\thooksPath = .git/hooks
\tpager = cat
[sequence]
\teditor = true
[credential]
\thelper =
\tinteractive = false
`;

/**
 * The remote that relative addresses of submodules begin with. The address has no credentials. A folder of this machine
 * is a user's checkout, whose branches `git push` must not move.
 */
const originOf = (address: string) => `[remote "origin"]
\turl = ${JSON.stringify(address)}
\tfetch = +refs/heads/*:refs/remotes/origin/*
${localFolder(address) === undefined ? '' : `\tpushurl = ${NO_PUSH}\n`}`;

/** No such folder can exist. */
const NO_PUSH = '/dev/null/jobs-do-not-push-to-a-checkout--use-promptq-pull';

/**
 * A repository with the clone's refs and none of its objects, which it borrows. Everything in it is new: git copies it
 * from a template under the job's account.
 */
async function makeRepository(
  surroundings: GitSurroundings,
  {
    clone,
    path,
    branch,
    from,
  }: {
    readonly clone: KeptClone;
    readonly path: string;
    readonly branch: string;
    readonly from: Snapshot | undefined;
  },
): Promise<void> {
  const template = join(surroundings.attemptDir, 'git-template');
  await mkdir(join(template, 'objects', 'info'), { recursive: true });
  await writeFile(join(template, 'config'), CONFIG + originOf(clone.address));
  await writeFile(join(template, 'objects', 'info', 'alternates'), `${join(clone.dir, 'objects')}\n`);
  await copyOf(clone, 'packed-refs', template);
  await copyOf(clone, 'shallow', template).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await git(surroundings, ['init', '--quiet', `--template=${template}`, `--initial-branch=${branch}`, '--', path]);
  const repository = { gitDir: join(path, '.git'), workTree: path };
  if (from !== undefined) return await restoreSnapshot(surroundings, from, repository);
  await git(surroundings, ['reset', '--hard', '--quiet', clone.base], { repository });
}

/** Streams a file, since the worker may not keep the file's owner or mode, and never through a link. */
async function copyOf(clone: KeptClone, name: string, folder: string): Promise<void> {
  const source = await open(join(clone.dir, name), constants.O_RDONLY | constants.O_NOFOLLOW);
  const copy = await open(join(folder, name), 'w');
  await pipeline(source.createReadStream(), copy.createWriteStream());
}

/**
 * Moves a job's folder aside if it is no worktree of this clone: its project had no repository, or another one.
 */
async function putAside(path: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const aside = `${path}.earlier${number === 1 ? '' : `-${number}`}`;
    if ((await lstat(aside).catch(() => undefined)) !== undefined) continue;
    await rename(path, aside);
    return `repository: the job's folder was no worktree of it; what was there is kept in ${basename(aside)}`;
  }
}
