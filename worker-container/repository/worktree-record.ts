import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { putFile } from '../service-accounts/untrusted-files.ts';

/** A job's own working copy of its project's repository. */
export interface JobWorktree {
  /** Where its files are. Its repository is in `.git` and belongs to the job. */
  readonly path: string;
  /** The kept clone whose objects its repository borrows. */
  readonly clone: string;
  /** The worker's record of it. */
  readonly record: string;
  /** The commit that it started from. */
  readonly base: string;
  readonly warnings: readonly string[];
}

const recordSchema = z.object({
  base: z.string(),
  /** False: an attempt has begun to create it. */
  isReady: z.boolean(),
  /**
   * What its agent began with: the first commit after the checkout and the setup command. It is that commit itself, or
   * one in the bundle beside this record. Absent: not written yet.
   */
  start: z.string().optional(),
  /** The setup command that has succeeded in it. */
  setup: z.string().optional(),
  /** The commit of its files at the end of the newest turn, `ID/ATTEMPT`. */
  snapshot: z.object({ turn: z.string(), commit: z.string() }).optional(),
});
export type WorktreeRecord = z.output<typeof recordSchema>;

/** What the worker has recorded of a worktree. */
export async function readRecord(path: string): Promise<WorktreeRecord | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : recordSchema.parse(JSON.parse(text));
}

/** Changes what the worker has recorded of a worktree. */
export async function changeRecord(path: string, changes: Partial<WorktreeRecord>): Promise<void> {
  const known = await readRecord(path);
  if (known !== undefined) await putFile(path, JSON.stringify({ ...known, ...changes } satisfies WorktreeRecord));
}
