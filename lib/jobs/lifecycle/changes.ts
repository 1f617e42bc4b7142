import * as z from 'zod';

/** What an attempt changed in its worktree of the project's repository, since the job's first attempt began. */
export const changesSchema = z.object({
  /** The branch that the worktree is on; null: none. */
  branch: z.string().nullable(),
  /** The commit that the worktree began at, and the one that it is at. */
  base: z.string(),
  head: z.string(),
  /** `git diff --stat`, for people. */
  stat: z.string(),
  files: z.number(),
  insertions: z.number(),
  deletions: z.number(),
  /** Whether the kept diff is not all of it. */
  truncated: z.boolean(),
});
export type Changes = z.output<typeof changesSchema>;
