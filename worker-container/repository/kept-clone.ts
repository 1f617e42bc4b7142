import { createHash } from 'node:crypto';
import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EndedBeforeStart } from '../not-started.ts';
import { giveTree, putFile, removeTree } from '../service-accounts/untrusted-files.ts';
import { type GitSurroundings, git, runTool } from './git.ts';

/** A bare clone of a project's repository that all its jobs share, and what the newest fetch asked for. */
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

/** Beside the projects' workspaces; no project's id begins with a dot. */
export const CLONES = '.repositories';

/** Where the clone of a project's repository is; another address is another clone. */
export function cloneDir({ workspaces, projectId, repository }: Omit<CloneRequest, 'ref' | 'credentials'>): string {
  const hash = createHash('sha256').update(repository).digest('hex').slice(0, 12);
  return join(workspaces, CLONES, `${projectId}-${hash}.git`);
}

/**
 * Brings the clone up to date and finds the commit that was asked for. Only one may do so at a time.
 * @throws Error that says what is wrong: the address, the credentials, the ref.
 */
export async function updateClone(surroundings: GitSurroundings, request: CloneRequest): Promise<KeptClone> {
  const dir = cloneDir(request);
  if ((await stat(dir).catch(() => undefined)) === undefined) await create(surroundings, dir);
  await writeConfig(surroundings, dir);
  await removeLocks(surroundings, join(dir, 'refs', 'remotes'));
  await fetch(surroundings, dir, request, [
    '--prune',
    '--',
    request.repository,
    '+HEAD:refs/promptq/HEAD',
    '+refs/heads/*:refs/remotes/origin/*',
    '+refs/tags/*:refs/tags/*',
  ]);
  return { dir, base: await findCommit(surroundings, dir, request) };
}

/**
 * Writes the clone's configuration anew: an agent may have changed it, and it names programs that git runs. An author is
 * set so that agents can commit.
 */
export async function writeConfig({ account }: Pick<GitSurroundings, 'account'>, dir: string): Promise<void> {
  await putFile(join(dir, 'config'), account === undefined ? CONFIG : CONFIG + SHARED);
}

const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[user]
\tname = Promptq
\temail = agent@promptq.invalid
`;

/** Slots work in it by turns, each under an account of its own. */
const SHARED = `[core]
\tsharedRepository = group
`;

/** Made under another name, so that what a killed worker left half-made is never taken for a clone. */
async function create(surroundings: GitSurroundings, dir: string): Promise<void> {
  const making = `${dir}.making`;
  await removeTree(making);
  await mkdir(making, { recursive: true });
  await giveTree(making, surroundings.account);
  const shared = surroundings.account === undefined ? [] : ['--shared=group'];
  await git(surroundings, ['init', '--quiet', '--bare', ...shared, '--template=', '--', making]);
  await rename(making, dir);
}

async function fetch(
  surroundings: GitSurroundings,
  dir: string,
  { credentials }: CloneRequest,
  args: readonly string[],
): Promise<void> {
  const flags = ['--quiet', '--force', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];
  await git(surroundings, ['fetch', ...flags, ...args], {
    repository: { gitDir: dir, commonDir: dir },
    env: credentials,
  });
}

/** A branch comes before a tag of the same name. A commit that no branch or tag holds is asked for by itself. */
async function findCommit(surroundings: GitSurroundings, dir: string, request: CloneRequest): Promise<string> {
  const { ref } = request;
  if (ref === undefined) return await commitOf(surroundings, dir, 'refs/promptq/HEAD');
  for (const name of [`refs/remotes/origin/${ref}`, `refs/tags/${ref}`]) {
    const found = await commitOf(surroundings, dir, name).catch(unlessEnded);
    if (found !== undefined) return found;
  }
  if (/^[0-9a-f]{40}$/.test(ref)) {
    const there = await commitOf(surroundings, dir, ref).catch(unlessEnded);
    if (there !== undefined) return there;
    await fetch(surroundings, dir, request, ['--', request.repository, ref]).catch(unlessEnded);
    const fetched = await commitOf(surroundings, dir, ref).catch(unlessEnded);
    if (fetched !== undefined) return fetched;
  }
  throw new Error(`the repository has no branch, tag or commit ${JSON.stringify(ref)}`);
}

async function commitOf(surroundings: GitSurroundings, dir: string, name: string): Promise<string> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  return (await git(surroundings, args, { repository: { gitDir: dir, commonDir: dir } })).trim();
}

function unlessEnded(error: unknown): undefined {
  if (error instanceof EndedBeforeStart) throw error;
  return undefined;
}

/** What a fetch that was killed left locked; whoever calls this is the only one who fetches. */
async function removeLocks(surroundings: GitSurroundings, folder: string): Promise<void> {
  await runTool(surroundings, 'find', [folder, '-name', '*.lock', '-delete']);
}
