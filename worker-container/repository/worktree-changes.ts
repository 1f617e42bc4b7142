import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { Changes } from '../../lib/jobs/receipts/changes.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import { type GitCall, GitRefusedError, type GitSurroundings, git, JOBS_REPOSITORY_LIMIT_MS } from './git.ts';
import { keepSnapshot, type TurnEnd } from './snapshots.ts';
import { type JobWorktree, readRecord } from './worktree-record.ts';
import { collector, makeObserver, worktreeTree } from './worktree-tree.ts';

/** Starts no program, not even in a submodule, which has its own configuration. */
const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty'];
/** Unchanged files are found whatever their number, and changed ones among this many: each is compared with each. */
const RENAMES = ['--find-renames', '-l400'];

/** The changes of an attempt without a worktree. */
export const NO_CHANGES: {
  readonly changes?: Changes;
  /** The files that are there and differ from the start, by path. Absent: not known. */
  readonly paths?: readonly string[];
  readonly warnings: readonly string[];
} = { warnings: [] };

/** An attempt's changes in its worktree. Stores the diff with the attempt's files. A failure becomes a warning. */
export async function changesOf(
  surroundings: GitSurroundings,
  worktree: JobWorktree | undefined,
  files: { readonly own: string },
  turn: TurnEnd,
): Promise<typeof NO_CHANGES> {
  if (worktree === undefined) return NO_CHANGES;
  try {
    const diffFile = join(files.own, 'changes.diff');
    const observer = await makeObserver(surroundings, worktree);
    const { tree, warnings } = await worktreeTree(surroundings, worktree, observer);
    const { changes, paths, unknown } = await worktreeChanges(surroundings, worktree, { diffFile, observer, tree });
    const unkept = await keepSnapshot(surroundings, worktree, { observer, turn, tree }).then(
      () => [],
      (error: unknown) => [`repository: no snapshot to fork from: ${whyNot(error)}`],
    );
    return { changes, paths, warnings: [...worktree.warnings, ...warnings, ...unknown, ...unkept] };
  } catch (error) {
    return {
      warnings: [...worktree.warnings, `changes: not known: ${whyNot(error)}`],
    };
  }
}

function whyNot(error: unknown): string {
  if (error instanceof CancelledBeforeStartError) return 'the worker had to stop';
  return error instanceof Error ? error.message : String(error);
}

/**
 * The difference between a worktree and what its agent began with, which is the first commit after the checkout and the
 * setup command: committed or not, including untracked files, excluding those that a `.gitignore` names. The job's own
 * index, excludes and configuration are not read, and its index stays unchanged.
 * @param own.diffFile gets the whole diff, with known secrets masked, up to a limit.
 * @returns `unknown`: a warning, if git could not tell where the job's repository is
 */
async function worktreeChanges(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  { diffFile, observer, tree }: { readonly diffFile: string; readonly observer: GitCall; readonly tree: string },
): Promise<{ readonly changes: Changes; readonly paths: readonly string[]; readonly unknown: readonly string[] }> {
  const start = (await readRecord(worktree.record))?.start ?? worktree.base;
  const diff = ['diff', ...NO_PROGRAMS, ...RENAMES, start, tree];
  const stat = await git(surroundings, [...diff, ...WHOLE_STAT, '--'], observer);
  const counts = countsOf(stat);
  // These two only resolve names: they read no object, so nothing can be fetched, filtered or hooked in.
  const own: GitCall = { repository: { gitDir: join(worktree.path, '.git') }, limit: JOBS_REPOSITORY_LIMIT_MS };
  const unknown: string[] = [];
  const name = async (...args: string[]) =>
    await git(surroundings, args, own).catch((error: unknown) => {
      // Git's own answer: the job has left its branch, or its repository.
      if (!(error instanceof GitRefusedError))
        unknown.push(`changes: the branch or the newest commit is not known: ${whyNot(error)}`);
      return '';
    });
  const branch = await name('symbolic-ref', '--quiet', '--short', 'HEAD');
  const head = await name('rev-parse', '--verify', '--quiet', 'HEAD');
  const stored =
    counts.files === 0
      ? { truncated: false, masked: false }
      : await writeDiff(surroundings, diff, { observer, diffFile });
  const changes: Changes = {
    branch: branch.trim() || null,
    base: worktree.base,
    head: /^[0-9a-f]{40,64}$/.test(head.trim()) ? head.trim() : worktree.base,
    stat: layOutStat(surroundings.redaction.text(stat)).slice(0, LIMITS.changes.statLength),
    ...counts,
    ...stored,
  };
  const paths = counts.files === 0 ? [] : await changedPaths(surroundings, { start, tree, observer });
  return { changes, paths, unknown };
}

/** As many as are looked at, and one more, so that the reader knows that it stopped early. */
const MOST_PATHS = LIMITS.files.scanned + 1;

/** The files of a tree that are not in another one, or differ from it. */
async function changedPaths(
  surroundings: GitSurroundings,
  { start, tree, observer }: { readonly start: string; readonly tree: string; readonly observer: GitCall },
): Promise<readonly string[]> {
  const paths: string[] = [];
  const onStdout = collector('\0', (path) => {
    if (paths.length < MOST_PATHS) paths.push(path);
  });
  const args = ['diff', ...NO_PROGRAMS, '--no-renames', '--diff-filter=d', '--name-only', '-z', start, tree, '--'];
  await git(surroundings, args, { ...observer, onStdout });
  return paths;
}

/** @returns whether the diff exceeds the limit, and whether it holds masks, which make it another text than the job wrote */
async function writeDiff(
  surroundings: GitSurroundings,
  diff: readonly string[],
  { observer, diffFile }: { readonly observer: GitCall; readonly diffFile: string },
): Promise<Pick<Changes, 'truncated' | 'masked'>> {
  const redactor = surroundings.redaction.redactor();
  const parts: Buffer[] = [];
  let bytes = 0;
  const keep = (masked: Buffer) => {
    if (bytes < LIMITS.changes.diffBytes) parts.push(masked);
    bytes += masked.length;
  };
  await git(surroundings, [...diff, '--binary', '--'], {
    ...observer,
    onStdout: (chunk) => keep(redactor.push(chunk)),
  });
  keep(redactor.flush());
  const file = await open(diffFile, 'w', 0o600);
  try {
    await file.writeFile(Buffer.concat(parts).subarray(0, LIMITS.changes.diffBytes));
  } finally {
    await file.close();
  }
  return { truncated: bytes > LIMITS.changes.diffBytes, masked: redactor.hasMasked };
}

/** The last line of a summary counts all files, shown or not: ` 3 files changed, 2 insertions(+), 1 deletion(-)`. */
function countsOf(stat: string): Pick<Changes, 'files' | 'insertions' | 'deletions'> {
  const last = stat.trimEnd().split('\n').at(-1) ?? '';
  const count = (what: RegExp) => Number(what.exec(last)?.[1] ?? 0);
  return {
    files: count(/^ (\d+) files? changed/),
    insertions: count(/ (\d+) insertions?\(\+\)/),
    deletions: count(/ (\d+) deletions?\(-\)/),
  };
}

/** Makes `git diff` print all of the names of the first 40 files: a name that git itself cuts can't be masked. */
const WHOLE_STAT = ['--stat-width=20000', '--stat-name-width=10000', '--stat-graph-width=30', '--stat-count=40'];

/** How many characters of a name are shown, counted from its end. */
const NAME_LENGTH = 60;

/** The summary of a diff in the layout of `git diff --stat`, with long names cut. */
function layOutStat(stat: string): string {
  const lines = stat.split('\n').map((line) => {
    const [, name, counts] = /^ (.*\S) *\| (.*)$/.exec(line) ?? [];
    return name === undefined || counts === undefined ? { line } : { line, name: shortened(name), counts };
  });
  const width = Math.max(0, ...lines.map(({ name = '' }) => name.length));
  return lines
    .map(({ line, name, counts }) => (name === undefined ? line : ` ${name.padEnd(width)} | ${counts}`))
    .join('\n');
}

function shortened(name: string): string {
  const characters = Array.from(name);
  return characters.length > NAME_LENGTH ? `...${characters.slice(3 - NAME_LENGTH).join('')}` : name;
}
