import * as z from 'zod';

/** What the attempt changed in its worktree of the project's repository, since the job's first attempt began. */
export const changesSchema = z.object({
  /** The worktree's branch; null if none. */
  branch: z.string().nullable(),
  /** The commits at which the worktree began and now is. */
  base: z.string(),
  head: z.string(),
  /** `git diff --stat`, for display. */
  stat: z.string(),
  files: z.number(),
  insertions: z.number(),
  deletions: z.number(),
  /** Whether the stored diff is incomplete. */
  truncated: z.boolean(),
  /** Whether a secret in the stored diff is masked. A record without it was written before masks were noted. */
  masked: z.boolean().default(true),
});
export type Changes = z.output<typeof changesSchema>;
