import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import { fetcherOf } from '../service-accounts/service-account.ts';
import { giveTree, putFile, removeTree } from '../service-accounts/untrusted-files.ts';
import { type GitSurroundings, git, runTool } from './git.ts';

/**
 * A bare clone of a project's repository that the worker alone changes. The repositories of its jobs borrow its objects,
 * so that none of them is ever removed.
 */
export interface KeptClone {
  readonly dir: string;
  /** The commit that a new worktree begins at. */
  readonly base: string;
}

export interface CloneRequest {
  /** Root of the projects' workspaces. */
  readonly workspaces: string;
  readonly projectId: string;
  readonly repository: string;
  readonly ref: string | undefined;
  /** By which git finds the credentials. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** The repository is there, and the ref is not. */
export class UnknownRefError extends Error {
  override name = 'UnknownRefError';
}

/** Beside the projects' workspaces; no project's id begins with a dot. */
export const CLONES = '.repositories';
/** In the folder of a clone: what the worker records of each job's worktree, as `ID.json`. */
export const RECORDS = 'worktrees';

/** Where the clone of a project's repository is; another address is another clone. */
function cloneDir({ workspaces, projectId, repository }: Omit<CloneRequest, 'ref' | 'credentials'>): string {
  const hash = createHash('sha256').update(repository).digest('hex').slice(0, 12);
  return join(workspaces, CLONES, `${projectId}-${hash}`, 'clone.git');
}

/** Where the worker records what it knows of a job's worktree; no job can write there. */
export function recordPath({ dir }: Pick<KeptClone, 'dir'>, jobId: string): string {
  return join(dirname(dir), RECORDS, `${jobId}.json`);
}

/**
 * Brings the clone up to date and finds the commit that was asked for. Only one may do so at a time.
 * @throws UnknownRefError; Error that says what is wrong: the address, the credentials, the clone.
 */
export async function updateClone(surroundings: GitSurroundings, request: CloneRequest): Promise<KeptClone> {
  const fetching = asFetcher(surroundings);
  const dir = cloneDir(request);
  if (!(await isThere(dir))) await create(fetching, dir);
  await putFile(join(dir, 'config'), CONFIG);
  await fetch(fetching, dir, request, [
    '--prune',
    '--',
    request.repository,
    '+HEAD:refs/promptq/HEAD',
    '+refs/heads/*:refs/remotes/origin/*',
    '+refs/tags/*:refs/tags/*',
  ]);
  await git(fetching, ['pack-refs', '--all'], at(dir));
  await packLooseObjects(fetching, dir);
  return { dir, base: await findCommit(fetching, dir, request) };
}

/**
 * Mends a clone after a failure that it may be the cause of: frees what a killed fetch has left locked, or removes a
 * clone that is broken, so that the next update makes it again. Only one may do so at a time.
 * @returns what was done; undefined: the clone is not the cause.
 */
export async function mendClone(surroundings: GitSurroundings, request: CloneRequest): Promise<string | undefined> {
  const fetching = asFetcher(surroundings);
  const dir = cloneDir(request);
  if (!(await isThere(dir))) return undefined;
  const places = ['refs', 'packed-refs.lock', 'HEAD.lock', 'shallow.lock'].map((name) => join(dir, name));
  const freed = await runTool(fetching, 'find', [...places, '-name', '*.lock', '-print', '-delete']);
  if (freed !== '') return 'the kept clone was locked by a fetch that had died';
  if (!(await doesServerAnswer(fetching, request)) || (await isSound(fetching, dir))) return undefined;
  const broken = `${dir}.broken`;
  await removeTree(broken);
  await rename(dir, broken);
  await removeTree(broken);
  return 'the kept clone was broken and was made again';
}

/** Nothing of a job runs under the fetcher's account, and no job can write what belongs to it. */
function asFetcher(surroundings: GitSurroundings): GitSurroundings {
  const { account } = surroundings;
  return { ...surroundings, account: account && fetcherOf(account) };
}

const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
`;

/** Made under another name, so that what a killed worker left half-made is never taken for a clone. */
async function create(fetching: GitSurroundings, dir: string): Promise<void> {
  const making = `${dir}.making`;
  await removeTree(making);
  await mkdir(join(dirname(dir), RECORDS), { recursive: true });
  await mkdir(making);
  // Fetchers of several slots work in it by turns, and all slots read it.
  if (fetching.account !== undefined) await chmod(making, 0o775);
  await giveTree(making, fetching.account);
  await git(fetching, ['init', '--quiet', '--bare', '--template=', '--', making]);
  await rename(making, dir);
}

async function fetch(
  fetching: GitSurroundings,
  dir: string,
  { credentials }: CloneRequest,
  args: readonly string[],
): Promise<void> {
  const flags = ['--quiet', '--force', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  await git(fetching, ['fetch', ...flags, ...args], { ...at(dir), env: credentials });
}

/** Loose objects in one of the 256 folders above which they are packed, as git's own `gc` estimates it. */
const MANY_LOOSE = 27;

/** Small fetches leave loose objects. They are packed, and none is dropped. */
async function packLooseObjects(fetching: GitSurroundings, dir: string): Promise<void> {
  const sample = await readdir(join(dir, 'objects', '17')).catch(() => []);
  if (sample.length > MANY_LOOSE)
    await git(fetching, ['maintenance', 'run', '--quiet', '--task=loose-objects'], at(dir));
}

/** Milliseconds that a server may take to list its refs. */
const LONGEST_ANSWER = 60_000;

async function doesServerAnswer(
  fetching: GitSurroundings,
  { repository, credentials }: CloneRequest,
): Promise<boolean> {
  const call = { env: credentials, limit: LONGEST_ANSWER };
  return await succeeds(git(fetching, ['ls-remote', '--quiet', '--', repository, 'HEAD'], call));
}

async function isSound(fetching: GitSurroundings, dir: string): Promise<boolean> {
  return await succeeds(git(fetching, ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'], at(dir)));
}

/** A branch comes before a tag of the same name. A commit that no branch or tag holds is asked for by itself. */
async function findCommit(fetching: GitSurroundings, dir: string, request: CloneRequest): Promise<string> {
  const { ref } = request;
  if (ref === undefined) return await commitOf(fetching, dir, 'refs/promptq/HEAD');
  for (const name of [`refs/remotes/origin/${ref}`, `refs/tags/${ref}`]) {
    const found = await commitOf(fetching, dir, name).catch(unlessEnded);
    if (found !== undefined) return found;
  }
  if (/^[0-9a-f]{40}$/.test(ref)) {
    const there = await commitOf(fetching, dir, ref).catch(unlessEnded);
    if (there !== undefined) return there;
    await fetch(fetching, dir, request, ['--', request.repository, ref]).catch(unlessEnded);
    const fetched = await commitOf(fetching, dir, ref).catch(unlessEnded);
    if (fetched !== undefined) return fetched;
  }
  throw new UnknownRefError(`the repository has no branch, tag or commit ${JSON.stringify(ref)}`);
}

async function commitOf(fetching: GitSurroundings, dir: string, name: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  return (await git(fetching, args, at(dir))).trim();
}

function at(gitDir: string): { readonly repository: { readonly gitDir: string } } {
  return { repository: { gitDir } };
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

async function succeeds(call: Promise<string>): Promise<boolean> {
  return (await call.catch(unlessEnded)) !== undefined;
}

function unlessEnded(error: unknown): undefined {
  if (error instanceof CancelledBeforeStartError) throw error;
  return undefined;
}
