import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { timestamp } from './fields/text.ts';
import { secretName } from './profile.ts';

const { addressLength, refLength, setupLength } = LIMITS.repository;

/** Absent: as it is. Empty: none. */
const optionalText = (text: z.ZodString) => z.union([z.literal(''), text]).optional();

const isRef = (ref: string) => /^[\w][\w./+@-]*$/.test(ref) && !/\.\.|\/\/|@\{|\/\.|\.lock(\/|$)|[./]$/.test(ref);

/** `PATCH /projects/{id}`. */
export const projectEdit = z
  .strictObject({
    repository: optionalText(z.string().max(addressLength)).meta({
      description:
        'Address of a git repository, https and without credentials. A job of the project that names no `cwd` then works in a git worktree of its own. Empty: none.',
      example: 'https://git.example.com/team/app.git',
    }),
    ref: optionalText(
      z.string().max(refLength).refine(isRef, 'expected the name of a branch or tag, or a commit'),
    ).meta({ description: "Branch, tag or commit that worktrees begin at. Empty: the repository's default branch." }),
    setup: optionalText(
      z
        .string()
        .max(setupLength)
        .refine((text) => !text.includes('\0'), 'expected a command without NUL'),
    ).meta({ description: 'A shell command that is run once in each new worktree, before the agent. Empty: none.' }),
    secret: optionalText(secretName).meta({
      description:
        'Name of the secret with which the repository is read; its value is a line `https://USER:TOKEN@HOST`, and it is used for that host alone. Empty: none.',
    }),
    exclusive_cwd: z.boolean().optional().meta({
      description:
        'Whether at most one job, or the commands that deploy it, works in a folder at a time; others of the same `cwd` wait.',
    }),
  })
  .meta({ id: 'ProjectEdit' });
export type ProjectEdit = z.output<typeof projectEdit>;

/** How jobs of a project work, as read. */
export const projectSettingsShape = {
  repository: z.string().nullable(),
  ref: z.string().nullable(),
  setup: z.string().nullable(),
  secret: z.string().nullable().meta({ description: 'The name of a secret, never its value.' }),
  exclusive_cwd: z.boolean(),
};

/** The answer of `PATCH /projects/{id}`. */
export const projectSettings = z
  .object({ id: z.string(), name: z.string(), created_at: timestamp, workspace: z.string(), ...projectSettingsShape })
  .meta({ id: 'ProjectSettings' });
