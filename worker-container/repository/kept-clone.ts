import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { localFolder } from '../../lib/projects/repository-address.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import { fetcherOf } from '../service-accounts/service-account.ts';
import { giveTree, putFile, removeTree } from '../service-accounts/untrusted-files.ts';
import { GitRefusedError, type GitSurroundings, git, runTool } from './git.ts';
import { atAddress } from './moved-repository.ts';

/**
 * A bare clone of a project's repository that only the worker changes. The repositories of its jobs borrow its objects,
 * so no object is ever removed.
 */
export interface KeptClone {
  readonly dir: string;
  /** The commit that a new worktree starts from. */
  readonly base: string;
  /** Where it was fetched from: the requested address, or the one that the server redirected to. */
  readonly address: string;
}

/** Beside the worker's record of a job's worktree: the objects of its newest snapshot. */
export function bundleBeside(record: string): string {
  return record.replace(/\.json$/, '.bundle');
}

export interface CloneRequest {
  /** Root of the projects' workspaces. */
  readonly workspaces: string;
  readonly projectId: string;
  readonly repository: string;
  readonly ref: string | undefined;
  /** Environment that gives git the credentials. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** The repository exists, and has nothing that a worktree could start from, or not the ref. */
export class UnknownRefError extends Error {
  override name = 'UnknownRefError';
}

/** Beside the projects' workspaces; no project's id begins with a dot. */
export const CLONES = '.repositories';
/** In the folder of a clone: the worker's record of each job's worktree, as `ID.json`. */
export const RECORDS = 'worktrees';

/** The folder of a project's clone. Another address gets another clone. */
function cloneDir({ workspaces, projectId, repository }: Omit<CloneRequest, 'ref' | 'credentials'>): string {
  const hash = createHash('sha256').update(repository).digest('hex').slice(0, 12);
  return join(workspaces, CLONES, `${projectId}-${hash}`, 'clone.git');
}

/** The worker's record of a job's worktree. No job can write there. */
export function recordPath({ dir }: Pick<KeptClone, 'dir'>, jobId: string): string {
  return join(dirname(dir), RECORDS, `${jobId}.json`);
}

/**
 * Updates the clone and finds the requested commit. Call it under the clone's lock.
 * @throws UnknownRefError; Error that names the cause: the address, the credentials, the clone.
 */
export async function updateClone(surroundings: GitSurroundings, request: CloneRequest): Promise<KeptClone> {
  const fetching = asFetcher(surroundings);
  const dir = cloneDir(request);
  if (!(await isThere(dir))) await create(fetching, dir);
  await putFile(join(dir, 'config'), CONFIG);
  const isDefault = request.ref === undefined || /^(HEAD|@)$/.test(request.ref);
  const address = await atAddress(fetching, request, async (repository) => {
    await fetchRefs(fetching, dir, { ...request, repository }, isDefault);
    return repository;
  });
  const base = isDefault
    ? await commitOf(fetching, dir, 'refs/promptq/HEAD')
    : await findCommit(fetching, dir, { ...request, repository: address });
  await git(fetching, ['pack-refs', '--all'], at(dir));
  await packLooseObjects(fetching, dir);
  return { dir, base, address };
}

const ALL_REFS = ['--prune', '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'] as const;

/** Fetches the branches and tags, and the server's HEAD only if a worktree is to start there. */
async function fetchRefs(
  fetching: GitSurroundings,
  dir: string,
  request: CloneRequest,
  withHead: boolean,
): Promise<void> {
  if (!withHead) return await fetch(fetching, dir, request, ALL_REFS);
  await fetch(fetching, dir, request, [...ALL_REFS, '+HEAD:refs/promptq/HEAD']).catch(async (error: unknown) => {
    if (!(error instanceof GitRefusedError) || !error.message.includes("couldn't find remote ref HEAD")) throw error;
    await fetch(fetching, dir, request, ALL_REFS);
    throw new UnknownRefError(
      `the repository's HEAD names a branch that does not exist: set \`ref\`. ${await branchesText(fetching, dir)}`,
    );
  });
}

/**
 * Mends a clone that may have caused a failure: removes the locks of a killed fetch, or removes a broken clone, so that
 * the next update creates it again. Call it under the clone's lock.
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

/** Nothing of a job runs under the fetcher's account, and no job can write the fetcher's files. */
function asFetcher(surroundings: GitSurroundings): GitSurroundings {
  const { account } = surroundings;
  return { ...surroundings, account: account && fetcherOf(account) };
}

const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
`;

/** Created under another name, so that a half-made clone of a killed worker is never taken for a clone. */
async function create(fetching: GitSurroundings, dir: string): Promise<void> {
  const making = `${dir}.making`;
  await removeTree(making);
  await mkdir(join(dirname(dir), RECORDS), { recursive: true });
  await mkdir(making);
  // Fetchers of several slots take turns in it, and all slots read it.
  if (fetching.account !== undefined) await chmod(making, 0o775);
  await giveTree(making, fetching.account);
  await git(fetching, ['init', '--quiet', '--bare', '--template=', '--', making]);
  await rename(making, dir);
}

/** @param what refspecs, after flags if there are any */
async function fetch(
  fetching: GitSurroundings,
  dir: string,
  { credentials, repository }: CloneRequest,
  what: readonly string[],
): Promise<void> {
  // A checkout of this machine may be shallow.
  const shallow = localFolder(repository) === undefined ? [] : ['--update-shallow'];
  const flags = ['--quiet', '--force', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', ...shallow];
  const more = what.filter((arg) => arg.startsWith('--'));
  const refspecs = what.filter((arg) => !arg.startsWith('--'));
  const args = ['fetch', ...flags, ...more, '--', repository, ...refspecs];
  await git(fetching, args, { ...at(dir), env: credentials });
}

/** Loose objects in one of the 256 folders above which they are packed, estimated as by git's own `gc`. */
const MANY_LOOSE = 27;

/** Small fetches leave loose objects. This packs them and drops none. */
async function packLooseObjects(fetching: GitSurroundings, dir: string): Promise<void> {
  const sample = await readdir(join(dir, 'objects', '17')).catch(() => []);
  if (sample.length > MANY_LOOSE)
    await git(fetching, ['maintenance', 'run', '--quiet', '--task=loose-objects'], at(dir));
}

/** Milliseconds that a server may take to list its refs. */
const LIST_REFS_TIMEOUT_MS = 60_000;

async function doesServerAnswer(fetching: GitSurroundings, request: CloneRequest): Promise<boolean> {
  const call = { env: request.credentials, limit: LIST_REFS_TIMEOUT_MS };
  const listed = await atAddress(fetching, request, async (repository) => {
    return await git(fetching, ['ls-remote', '--quiet', '--', repository, 'HEAD'], call);
  }).catch(unlessEnded);
  return listed !== undefined;
}

/** Whether git finds nothing wrong with a clone; a check that was killed, or could not run, has found nothing. */
async function isSound(fetching: GitSurroundings, dir: string): Promise<boolean> {
  const found = git(fetching, ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'], at(dir));
  const fault = await found.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (fault instanceof CancelledBeforeStartError) throw fault;
  return !(fault instanceof GitRefusedError);
}

/** Prefers a branch to a tag of the same name. Fetches what no branch or tag contains by its id or its whole name. */
async function findCommit(fetching: GitSurroundings, dir: string, request: CloneRequest): Promise<string> {
  const ref = request.ref ?? '';
  for (const name of refsNamed(ref)) {
    const found = await commitOf(fetching, dir, name).catch(unlessRefused);
    if (found !== undefined) return found;
  }
  const id = /^[0-9a-f]{40}([0-9a-f]{24})?$/i.test(ref) ? ref.toLowerCase() : undefined;
  const there = id && (await commitOf(fetching, dir, id).catch(unlessRefused));
  if (there) return there;
  const other = /^(?:refs\/)?((?:pull|merge-requests|changes)\/.+)/.exec(ref)?.[1];
  if (id !== undefined || other !== undefined) {
    const kept = `refs/promptq/${other}`;
    await fetch(fetching, dir, request, [id ?? `+refs/${other}:${kept}`]).catch(unlessRefused);
    const fetched = await commitOf(fetching, dir, id ?? kept).catch(unlessRefused);
    if (fetched !== undefined) return fetched;
  }
  const none = `the repository has no branch, tag or commit ${JSON.stringify(ref)}`;
  // A part of an id may mean another commit tomorrow.
  const whole = /^[0-9a-f]{4,63}$/i.test(ref) ? await commitOf(fetching, dir, ref).catch(unlessRefused) : undefined;
  if (whole !== undefined) throw new UnknownRefError(`${none}. It is part of an id: set ${whole}`);
  throw new UnknownRefError(`${none}. ${await branchesText(fetching, dir)}`);
}

/** The clone's names of what a ref may mean, as git's own commands read it. */
function refsNamed(ref: string): string[] {
  const [, branch] = /^(?:(?:refs\/)?heads|(?:(?:refs\/)?remotes\/)?origin)\/(.+)/.exec(ref) ?? [];
  const [, tag] = /^(?:refs\/)?tags\/(.+)/.exec(ref) ?? [];
  return [
    `refs/remotes/origin/${ref}`,
    `refs/tags/${ref}`,
    ...(branch === undefined ? [] : [`refs/remotes/origin/${branch}`]),
    ...(tag === undefined ? [] : [`refs/tags/${tag}`]),
  ];
}

/** Most branches that a message names. */
const SHOWN_BRANCHES = 10;

async function branchesText(fetching: GitSurroundings, dir: string): Promise<string> {
  const args = ['for-each-ref', `--count=${SHOWN_BRANCHES}`, '--format=%(refname:lstrip=3)', 'refs/remotes/origin'];
  const names = (await git(fetching, args, at(dir))).split('\n').filter(Boolean);
  if (names.length === 0) return 'It is empty: push a first commit to it.';
  const more = names.length === SHOWN_BRANCHES ? ' and perhaps more' : '';
  return `It has the branches ${names.join(', ')}${more}.`;
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

function unlessEnded(error: unknown): undefined {
  if (error instanceof CancelledBeforeStartError) throw error;
  return undefined;
}

/** Undefined where git itself says no: what it could not look for may well be there. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof GitRefusedError)) throw error;
  return undefined;
}
