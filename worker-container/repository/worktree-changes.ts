import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { Changes } from '../../lib/jobs/receipts/changes.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import { giveTree } from '../service-accounts/untrusted-files.ts';
import { layOutStat, WHOLE_STAT } from './diff-stat.ts';
import { type GitCall, GitRefusedError, type GitSurroundings, git, JOBS_REPOSITORY_LIMIT_MS } from './git.ts';
import { keepSnapshot, type TurnEnd } from './snapshots.ts';
import type { JobWorktree } from './worktree-record.ts';

/** Starts no program, not even in a submodule, which has its own configuration. */
const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--ignore-submodules=dirty'];
/** Milliseconds that one step of the comparison may take. */
const MAX_STEP_MS = 300_000;

/** The changes of an attempt without a worktree. */
export const NO_CHANGES: { readonly changes?: Changes; readonly warnings: readonly string[] } = { warnings: [] };

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
    const { changes, unknown } = await worktreeChanges(surroundings, worktree, { diffFile, call: observer });
    const unkept = await keepSnapshot(surroundings, worktree, { observer, turn }).then(
      () => [],
      (error: unknown) => [`repository: no snapshot to fork from: ${whyNot(error)}`],
    );
    return { changes, warnings: [...worktree.warnings, ...unknown, ...unkept] };
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
 * The difference between a worktree and its first commit: committed or not, including untracked files, excluding those
 * that a `.gitignore` names. The job's own index, excludes and configuration are not read, and its index stays unchanged.
 * @param own.diffFile gets the whole diff, with known secrets masked, up to a limit.
 * @returns `unknown`: a warning, if git could not tell where the job's repository is
 */
async function worktreeChanges(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  { diffFile, call }: { readonly diffFile: string; readonly call: GitCall },
): Promise<{ readonly changes: Changes; readonly unknown: readonly string[] }> {
  const ask = async (...args: string[]) => await git(surroundings, args, call);
  await ask('add', '--intent-to-add', '--', worktree.path);
  const counts = countsOf(await ask('diff', ...NO_PROGRAMS, '--numstat', '-z', worktree.base, '--'));
  const stat = await ask('diff', ...NO_PROGRAMS, ...WHOLE_STAT, worktree.base, '--');
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
      : await writeDiff(surroundings, worktree, { call, diffFile });
  const changes: Changes = {
    branch: branch.trim() || null,
    base: worktree.base,
    head: /^[0-9a-f]{40,64}$/.test(head.trim()) ? head.trim() : worktree.base,
    stat: layOutStat(surroundings.redaction.text(stat)).slice(0, LIMITS.changes.statLength),
    ...counts,
    ...stored,
  };
  return { changes, unknown };
}

const OBSERVER_CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
`;

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
  await giveTree(gitDir, surroundings.account);
  const call: GitCall = { repository: { gitDir, workTree: worktree.path }, limit: MAX_STEP_MS };
  // A new index, so that every tracked file is read: the job's own can declare files unchanged (`--assume-unchanged`).
  await git(surroundings, ['read-tree', worktree.base], call);
  await git(surroundings, ['update-index', '-q', '--refresh'], call);
  return call;
}

/** @returns whether the diff exceeds the limit, and whether it holds masks, which make it another text than the job wrote */
async function writeDiff(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  { call, diffFile }: { call: GitCall; diffFile: string },
): Promise<Pick<Changes, 'truncated' | 'masked'>> {
  const redactor = surroundings.redaction.redactor();
  const parts: Buffer[] = [];
  let bytes = 0;
  const keep = (masked: Buffer) => {
    if (bytes < LIMITS.changes.diffBytes) parts.push(masked);
    bytes += masked.length;
  };
  await git(surroundings, ['diff', ...NO_PROGRAMS, '--binary', worktree.base, '--'], {
    ...call,
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

/** Parses `--numstat -z`: `12\t3\tpath\0`, with `-` for binary files. */
function countsOf(numstat: string): Pick<Changes, 'files' | 'insertions' | 'deletions'> {
  const sum = { files: 0, insertions: 0, deletions: 0 };
  for (const entry of numstat.split('\0')) {
    const [, added, removed] = /^(\d+|-)\t(\d+|-)\t/.exec(entry) ?? [];
    if (added === undefined) continue;
    sum.files += 1;
    sum.insertions += Number(added) || 0;
    sum.deletions += Number(removed) || 0;
  }
  return sum;
}
