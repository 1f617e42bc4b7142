import * as z from 'zod';

/** Changes that an attempt made in its project's repository. */
export const changes = z
  .object({
    branch: z.string().nullable().meta({ description: 'Branch of the worktree.' }),
    base: z.string().meta({ description: 'Commit at which the worktree started.' }),
    head: z.string().meta({ description: 'Current commit of the worktree.' }),
    stat: z
      .string()
      .meta({ description: 'Output of `git diff --stat`. The attachment `.promptq/changes.diff` contains the diff.' }),
    files: z.number().int(),
    insertions: z.number().int(),
    deletions: z.number().int(),
    truncated: z.boolean().meta({ description: 'Whether the attachment contains only part of the diff.' }),
    masked: z.boolean().meta({
      description:
        'Whether secrets are masked in the attachment, in content or names of files. It is then another diff than that of the job and must not be applied.',
    }),
  })
  .meta({
    id: 'RepositoryChanges',
    description:
      "Changes that the job made in its project's repository, including new files. Null without a repository.",
  });
