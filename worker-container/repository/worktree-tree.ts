import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { giveTree, removeTree } from '../service-accounts/untrusted-files.ts';
import { type GitCall, GitRefusedError, type GitSurroundings, git, JOBS_REPOSITORY_LIMIT_MS, runTool } from './git.ts';
import { bundleBeside } from './kept-clone.ts';
import { type JobWorktree, readRecord } from './worktree-record.ts';

/** Milliseconds that one step of the comparison may take: 200,000 files on a network file system. */
const MAX_STEP_MS = 900_000;

const OBSERVER_CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlooseCompression = 0
`;

/** Files of desktops and editors, which people let their own git ignore. */
const IGNORED = ['.DS_Store', 'Thumbs.db', 'desktop.ini', '.idea/', '.*.swp', '*~'];

/**
 * Creates the worker's separate repository for reading the worktree. It borrows the kept clone's objects and has no
 * configuration, attribute, hook or object of the job's own repository.
 */
export async function makeObserver(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  name = 'changes.git',
): Promise<GitCall> {
  const gitDir = join(surroundings.attemptDir, name);
  await mkdir(gitDir, { recursive: true, mode: 0o700 });
  for (const folder of ['objects/info', 'refs', 'info']) await mkdir(join(gitDir, folder), { recursive: true });
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(gitDir, 'config'), OBSERVER_CONFIG);
  await writeFile(join(gitDir, 'objects', 'info', 'alternates'), `${join(worktree.clone, 'objects')}\n`);
  await writeFile(join(gitDir, 'info', 'attributes'), '* -filter\n');
  await writeFile(join(gitDir, 'info', 'exclude'), `${IGNORED.join('\n')}\n`);
  await giveTree(gitDir, surroundings.account);
  const call: GitCall = { repository: { gitDir, workTree: worktree.path }, limit: MAX_STEP_MS };
  const { start = worktree.base } = (await readRecord(worktree.record)) ?? {};
  if (start !== worktree.base) await unbundle(surroundings, bundleBeside(worktree.record), call);
  return call;
}

/** Adds the objects of a worker's bundle to a repository. */
export async function unbundle(surroundings: GitSurroundings, bundle: string, call: GitCall): Promise<void> {
  const folder = join(surroundings.attemptDir, 'bundle');
  await removeTree(folder);
  await mkdir(folder, { mode: 0o700 });
  await copyFile(bundle, join(folder, 'bundle'));
  await giveTree(folder, surroundings.account);
  await git(surroundings, ['bundle', 'unbundle', join(folder, 'bundle')], call);
  await removeTree(folder);
}

/** Paths within a worktree, and how many more there are. */
interface Paths {
  readonly first: Set<string>;
  count: number;
}

/** Paths that are in no tree, by the reason. */
interface LeftOut {
  readonly refused: Paths;
  readonly large: Paths;
  readonly unreadable: Paths;
  readonly submodules: Paths;
}

const REASONS = {
  refused: 'git does not take these paths',
  large: `these files have more than ${LIMITS.changes.fileBytes / 1024 ** 2} MiB`,
  unreadable: 'these folders could not be read',
  submodules: 'these submodules have changes, of which the diff shows the commit at most',
} as const satisfies Record<keyof LeftOut, string>;

/**
 * Writes the files of a worktree, but ignored ones, as a tree of the observer's repository. No path costs the others:
 * what git can't take is left out. Repositories within the worktree are there with their files, and git never reads
 * what is in their `.git`. Submodules of the first commit stay commits, as `git submodule` expects. The changes of a
 * job are the difference of two such trees, so what the checkout and the setup command made does not count as its work.
 * @returns `warnings` name what was left out
 */
export async function worktreeTree(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  observer: GitCall,
): Promise<{ readonly tree: string; readonly warnings: readonly string[] }> {
  const ask = async (...args: string[]) => await git(surroundings, args, observer);
  const { repositories, large } = await obstaclesIn(surroundings, worktree.path);
  await ask('read-tree', worktree.base);
  const submodules = await submodulesIn(surroundings, observer);
  // Of an entry for a submodule, git would read the repository.
  if (submodules.size > 0) await ask('update-index', '--force-remove', '--', ...submodules.keys());
  // So that every tracked file is read: the job's own index can declare files unchanged (`--assume-unchanged`).
  await ask('update-index', '-q', '--refresh');
  const leftOut: LeftOut = { refused: none(), large: none(), unreadable: none(), submodules: none() };
  for (const path of large) note(leftOut.large, path);
  const nested: string[] = [];
  for (const path of repositories)
    if (submodules.has(path) || !(await isIgnored(surroundings, observer, path))) nested.push(path);
  const walk: Walk = { surroundings, worktree, observer, nested, large, leftOut };
  await addFolder(walk, '', observer, new Set(submodules.keys()));
  for (const [path, commit] of submodules) {
    const now = nested.includes(path) ? await submoduleCommit(walk, path, commit) : commit;
    await ask('update-index', '--add', '--cacheinfo', `160000,${now},${path}`);
  }
  for (const path of (await submodulesIn(surroundings, observer)).keys())
    if (!submodules.has(path)) note(leftOut.refused, path);
  return { tree: (await ask('write-tree')).trim(), warnings: warningsOf(leftOut, surroundings.redaction) };
}

interface Walk {
  readonly surroundings: GitSurroundings;
  readonly worktree: JobWorktree;
  readonly observer: GitCall;
  /** Folders of repositories, by their path in the worktree. */
  readonly nested: readonly string[];
  readonly large: readonly string[];
  readonly leftOut: LeftOut;
}

/** Adds a folder's files to the index of a call whose work tree it is, then those of the repositories directly in it. */
async function addFolder(walk: Walk, folder: string, call: GitCall, apart: ReadonlySet<string> = new Set()) {
  const { surroundings, nested, large, leftOut } = walk;
  const prefix = folder === '' ? '' : `${folder}/`;
  const inside = nested.filter((path) => path.startsWith(prefix) && path !== folder);
  const direct = inside.filter((path) => !inside.some((other) => path.startsWith(`${other}/`)));
  const without = [...direct, ...large.filter((path) => path.startsWith(prefix))];
  const paths = ['--', '.', ...without.map((path) => `:(exclude,literal)${path.slice(prefix.length)}`)];
  const noting = (where: Paths) => collector('\0', (path) => note(where, `${prefix}${path}`));
  const unreadable = collector('\n', (line) => {
    // Git cuts long messages.
    const [, path] = /^warning: could not open directory '(.*)/.exec(line) ?? [];
    if (path !== undefined) note(leftOut.unreadable, `${prefix}${path.replace(/\/?': [^']*$/, '')}`);
  });
  await git(surroundings, ['add', '--all', '--ignore-errors', ...paths], { ...call, onStderr: unreadable }).catch(
    (error: unknown) => {
      // Git's answer when it has added all but some.
      if (!(error instanceof GitRefusedError) || error.exitCode !== 1) throw error;
    },
  );
  const left = noting(leftOut.refused);
  await git(surroundings, ['ls-files', '-z', '--others', '--exclude-standard', ...paths], { ...call, onStdout: left });
  await git(surroundings, ['diff-files', '-z', '--name-only', ...paths], { ...call, onStdout: left });
  for (const path of direct) {
    if (apart.has(path)) continue;
    const below = path.slice(prefix.length);
    const tree = await folderTree(walk, path);
    await git(surroundings, ['rm', '-r', '--cached', '--force', '--quiet', '--ignore-unmatch', '--', below], {
      ...call,
      env: { ...call.env, GIT_LITERAL_PATHSPECS: '1' },
    });
    await git(surroundings, ['read-tree', `--prefix=${below}/`, tree], call);
  }
}

/** The tree of a repository's files. */
async function folderTree(walk: Walk, path: string): Promise<string> {
  const { surroundings, worktree, observer, nested } = walk;
  const gitDir = observer.repository?.gitDir ?? '';
  const call: GitCall = {
    ...observer,
    repository: { gitDir, workTree: join(worktree.path, path) },
    env: { GIT_INDEX_FILE: join(gitDir, `index.${nested.indexOf(path)}`) },
  };
  await git(surroundings, ['read-tree', '--empty'], call);
  await addFolder(walk, path, call);
  return (await git(surroundings, ['write-tree'], call)).trim();
}

/** The commit that a submodule is at. Notes a submodule whose files are not those of its commit in the first one. */
async function submoduleCommit(walk: Walk, path: string, commit: string): Promise<string> {
  const { surroundings, worktree, observer, leftOut } = walk;
  const own: GitCall = {
    repository: { gitDir: join(worktree.path, path, '.git') },
    limit: JOBS_REPOSITORY_LIMIT_MS,
  };
  const say = async (...args: string[]) =>
    await git(surroundings, ['rev-parse', ...args], own).then(
      (said) => said.trim(),
      () => '',
    );
  const head = await say('--verify', '--quiet', 'HEAD');
  const objects = join(await say('--absolute-git-dir'), 'objects');
  const known = await git(surroundings, ['rev-parse', '--verify', '--quiet', `${commit}^{tree}`], {
    ...observer,
    env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects },
  }).catch(() => '');
  if (known.trim() !== (await folderTree(walk, path))) note(leftOut.submodules, path);
  return /^[0-9a-f]{40,64}$/.test(head) ? head : commit;
}

/** Most repositories, and most large files, that are looked at one by one. */
const MOST_OBSTACLES = 100;

/** What git must not meet in a worktree: other repositories, which it would open, and files that are too large. */
async function obstaclesIn(
  surroundings: GitSurroundings,
  path: string,
): Promise<{ readonly repositories: readonly string[]; readonly large: readonly string[] }> {
  const [repositories, large]: [string[], string[]] = [[], []];
  const take = collector('\0', (found) => {
    const inside = found.slice(path.length + 1);
    const folder = inside.replace(/\/?\.git$/, '');
    const isRepository = folder !== inside;
    // What can't be named in a call: git answers for it.
    if (folder === '' || inside.includes('\ufffd')) return;
    const places = isRepository ? repositories : large;
    if (places.length < MOST_OBSTACLES) places.push(folder);
  });
  const repository = ['-name', '.git', '-prune', '-print0'];
  // Git would wait for a pipe's writer.
  const pipe = ['-type', 'p', '(', '-name', '.gitignore', '-o', '-name', '.gitattributes', ')'];
  const tooLarge = ['-type', 'f', '-size', `+${LIMITS.changes.fileBytes / 512}`, '-print0'];
  const tests = [...repository, '-o', ...pipe, '-exec', 'rm', '-f', '--', '{}', '+', '-o', ...tooLarge];
  await runTool(surroundings, 'find', [path, ...tests], take);
  return { repositories, large };
}

/** The submodules in the index of a repository: their commits by path. */
async function submodulesIn(surroundings: GitSurroundings, call: GitCall): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const onStdout = collector('\0', (entry) => {
    const [, commit, path] = /^160000 (\S+) \d\t(.*)$/s.exec(entry) ?? [];
    if (commit !== undefined && path !== undefined) found.set(path, commit);
  });
  await git(surroundings, ['ls-files', '--stage', '-z'], { ...call, onStdout });
  return found;
}

/** Whether the worktree ignores a repository in it, as a folder or by its files. */
async function isIgnored(surroundings: GitSurroundings, observer: GitCall, path: string): Promise<boolean> {
  return await git(surroundings, ['check-ignore', '--quiet', '--', `${path}/.git`], observer).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof GitRefusedError)) throw error;
      return false;
    },
  );
}

/** Cuts output at an end mark. A part may be split between chunks. */
export function collector(end: '\0' | '\n', onPart: (part: string) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let at = rest.indexOf(end); at >= 0; at = rest.indexOf(end)) {
      onPart(rest.subarray(0, at).toString());
      rest = rest.subarray(at + 1);
    }
  };
}

/** Names in a warning, and characters of each. */
const SHOWN = { count: 10, length: 200 } as const;

const none = (): Paths => ({ first: new Set(), count: 0 });

function note(paths: Paths, path: string): void {
  if (paths.first.has(path)) return;
  paths.count += 1;
  if (paths.first.size < SHOWN.count) paths.first.add(path);
}

function warningsOf(leftOut: LeftOut, redaction: Redaction): string[] {
  return Object.entries(REASONS).flatMap(([reason, why]) => {
    const paths = leftOut[reason as keyof LeftOut];
    return paths.count === 0 ? [] : [`changes: not complete: ${why}: ${namesOf(paths, redaction)}`];
  });
}

function namesOf({ first, count }: Paths, redaction: Redaction): string {
  const names = [...first].map((path) => JSON.stringify(redaction.text(path).slice(0, SHOWN.length)));
  return `${names.join(', ')}${count > first.size ? ` and ${count - first.size} more` : ''}`;
}

/** A warning that names the submodules of a checked out worktree that are empty folders. */
export async function emptySubmodules(surroundings: GitSurroundings, path: string): Promise<readonly string[]> {
  const call: GitCall = { repository: { gitDir: join(path, '.git'), workTree: path }, limit: MAX_STEP_MS };
  const folders = [...(await submodulesIn(surroundings, call)).keys()].map((name) => join(path, name));
  if (folders.length === 0) return [];
  const empty = none();
  const take = collector('\0', (folder) => note(empty, folder.slice(path.length + 1)));
  await runTool(surroundings, 'find', [...folders, '-maxdepth', '0', '-type', 'd', '-empty', '-print0'], take);
  if (empty.count === 0) return [];
  const names = namesOf(empty, surroundings.redaction);
  return [
    `repository: these submodules are empty, which \`git submodule update --init\` in \`setup\` fetches: ${names}`,
  ];
}
