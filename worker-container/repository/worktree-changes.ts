import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { Changes } from '../../lib/jobs/changes.ts';
import type { AttemptFiles } from '../attempt-files.ts';
import { layOutStat, WHOLE_STAT } from './diff-stat.ts';
import { type GitCall, type GitSurroundings, git, runTool } from './git.ts';
import type { JobWorktree } from './job-worktree.ts';
import { writeConfig } from './kept-clone.ts';

const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];
/** Milliseconds that one look at a worktree may take. */
const LONGEST_LOOK = 300_000;

/** What an attempt without a worktree changed. */
export const NO_CHANGES: { readonly changes?: Changes; readonly warnings: readonly string[] } = { warnings: [] };

/** What an attempt changed in its worktree, with the diff put beside its files; a failure becomes a warning. */
export async function changesOf(
  surroundings: GitSurroundings,
  worktree: JobWorktree | undefined,
  files: Pick<AttemptFiles, 'own' | 'agent'>,
): Promise<typeof NO_CHANGES> {
  if (worktree === undefined) return NO_CHANGES;
  try {
    const diffFile = join(files.own, 'changes.diff');
    const index = join(files.agent, 'changes-index');
    return { changes: await worktreeChanges(surroundings, worktree, { index, diffFile }), warnings: [] };
  } catch (error) {
    return { warnings: [`changes: not known: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

/**
 * What a worktree holds that its first commit does not: committed or not, files that git was never told of included,
 * ignored ones not. Nothing that lies in the worktree decides what git reads or runs, and its index stays as it is.
 * @param own.index where an index of its own is made.
 * @param own.diffFile gets the whole diff, with known secrets masked, up to a limit.
 */
async function worktreeChanges(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  { index, diffFile }: { readonly index: string; readonly diffFile: string },
): Promise<Changes> {
  await writeConfig(surroundings, worktree.clone);
  // Begun from the worktree's own, git need not read the files that have not been touched.
  await runTool(surroundings, 'cp', ['--', join(worktree.gitDir, 'index'), index]);
  const call: GitCall = {
    repository: { gitDir: worktree.gitDir, commonDir: worktree.clone, workTree: worktree.path },
    env: { GIT_INDEX_FILE: index },
    limit: LONGEST_LOOK,
  };
  const ask = async (...args: string[]) => await git(surroundings, args, call);
  await ask('read-tree', '--reset', worktree.base);
  await ask('add', '--intent-to-add', '--', worktree.path);
  const counts = countsOf(await ask('diff', ...NO_PROGRAMS, '--numstat', '-z', worktree.base, '--'));
  const stat = await ask('diff', ...NO_PROGRAMS, ...WHOLE_STAT, worktree.base, '--');
  const branch = await ask('symbolic-ref', '--quiet', '--short', 'HEAD').catch(() => '');
  const head = (await ask('rev-parse', '--verify', '--quiet', 'HEAD')).trim();
  const truncated = counts.files > 0 && (await writeDiff(surroundings, worktree, { call, diffFile }));
  return {
    branch: branch.trim() || null,
    base: worktree.base,
    head,
    stat: layOutStat(surroundings.redaction.text(stat)).slice(0, LIMITS.changes.statLength),
    ...counts,
    truncated,
  };
}

/** @returns whether there was more than is kept. */
async function writeDiff(
  surroundings: GitSurroundings,
  worktree: JobWorktree,
  { call, diffFile }: { call: GitCall; diffFile: string },
): Promise<boolean> {
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
  return bytes > LIMITS.changes.diffBytes;
}

/** Of `--numstat -z`: `12\t3\tpath\0`, with `-` for what is binary. */
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
