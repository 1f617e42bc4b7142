import * as z from 'zod';
import { knownOrLater } from '../../later-code.ts';
import { NOT_KEPT, NOT_LISTED } from '../../not-kept.ts';
import { integerParameter } from '../fields/text.ts';

/** Which files an attempt keeps. */
export const FILE_SELECTIONS = ['folder', 'worktree', 'changed'] as const;

const codesOf = <C extends string>(texts: Readonly<Record<C, string>>) => Object.keys(texts) as C[];
const described = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts)
    .map(([code, text]) => `\`${code}\`: ${text}`)
    .join('; ');

export const filesQuery = z.object({
  attempt: integerParameter({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Number of the attempt. Default: the newest that has ended.',
  }),
});

export const fileQuery = filesQuery.extend({
  path: z.string().min(1).meta({ description: 'The `path` of the file in the list.', example: 'src/main.py' }),
});

/** A file of a job's folder. */
const jobFile = z
  .object({
    path: z.string().meta({ description: "Path relative to the job's folder.", example: 'src/main.py' }),
    bytes: z.number().int(),
    executable: z.boolean(),
    kept: z.boolean().meta({ description: 'Whether the file can be downloaded.' }),
    reason: knownOrLater(codesOf(NOT_KEPT))
      .nullable()
      .meta({ description: `Why it is not kept; null if it is. ${described(NOT_KEPT)}.` }),
    sha256: z.string().nullable().meta({ description: 'SHA-256 of what is kept, in hexadecimal.' }),
    masked: z.boolean().meta({ description: 'Whether `***` stands in it in place of secrets of the job.' }),
    content_type: z.string().meta({
      description: 'Media type guessed from the name. Downloads are always sent as `application/octet-stream`.',
    }),
  })
  .meta({ id: 'JobFile' });

/** `GET /jobs/{id}/files`. */
export const fileList = z
  .object({
    id: z.string(),
    attempt: z.number().int().meta({ description: 'Number of the attempt, or 0 before the first has ended.' }),
    selection: knownOrLater(FILE_SELECTIONS).nullable().meta({
      description:
        "Which files are listed. `folder`: all of the job's private folder. `worktree`: those that differ from what the agent began with in its worktree, without what a `.gitignore` names. `changed`: those of the folder that `cwd` names which changed since the attempt began. Null: none are listed.",
    }),
    note: z.string().nullable().meta({ description: 'Why none are listed; null if some are.' }),
    items: z.array(jobFile),
    not_listed: z
      .array(z.object({ reason: knownOrLater(codesOf(NOT_LISTED)), count: z.number().int() }))
      .meta({ description: `How many more there are at least, by reason. ${described(NOT_LISTED)}.` }),
  })
  .meta({ id: 'JobFileList' });
