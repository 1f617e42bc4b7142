import * as z from 'zod';

/** What an attempt changed in its project's repository. */
export const changes = z
  .object({
    branch: z.string().nullable().meta({ description: 'The branch that the worktree is on.' }),
    base: z.string().meta({ description: 'The commit that the worktree began at.' }),
    head: z.string().meta({ description: 'The commit that it is at.' }),
    stat: z
      .string()
      .meta({ description: '`git diff --stat`; the whole diff is the attachment `.promptq/changes.diff`.' }),
    files: z.number().int(),
    insertions: z.number().int(),
    deletions: z.number().int(),
    truncated: z.boolean().meta({ description: 'Whether the attachment is not all of the diff.' }),
  })
  .meta({
    id: 'RepositoryChanges',
    description: "What the job changed in its project's repository, new files included; null where there is none.",
  });
