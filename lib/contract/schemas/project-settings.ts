import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { timestamp } from './fields/text.ts';
import { secretName } from './profile.ts';

const { addressLength, refLength, setupLength } = LIMITS.repository;

/** Absent: unchanged. Empty: none. */
const optionalText = (text: z.ZodString) => z.union([z.literal(''), text]).optional();

/** Git's own rule for names. */
const isRef = (ref: string) => !/[\0-\x20\x7f~^:?*[\\]|^[-./]|\.\.|\/\/|@\{|\/\.|\.lock(\/|$)|[./]$/.test(ref);

/** `PATCH /projects/{id}`. */
export const projectEdit = z
  .strictObject({
    repository: optionalText(z.string().max(addressLength)).meta({
      description:
        'URL of a git repository: https, without credentials. In a local run also the path of a repository on that machine, in a folder that its user has opened to jobs. Each job of the project that sets no `cwd` then works in a new git worktree. Empty: none.',
      example: 'https://git.example.com/team/app.git',
    }),
    ref: optionalText(
      z
        .string()
        .max(refLength, { abort: true })
        .refine(isRef, 'expected the name of a branch or tag, or the id of a commit, without ~, ^ or :'),
    ).meta({
      description:
        'Branch, tag, whole id of a commit or another ref, such as `refs/pull/7/head`, at which worktrees start. Empty: the default branch of the repository.',
    }),
    setup: optionalText(z.string().max(setupLength)).meta({
      description:
        'Shell command that runs once in each new worktree, before the agent, by `bash -e -o pipefail`. Empty: none.',
    }),
    secret: optionalText(secretName).meta({
      description:
        'Name of the secret that gives read access to the repository: letters, digits and `_`. Its value has the form `https://USER:TOKEN@HOST`, and it is used only for that host. Empty: none.',
    }),
    exclusive_cwd: z.boolean().optional().meta({
      description:
        'Whether only one job, including its deploy commands, can use a folder at a time. Other jobs with the same `cwd` wait.',
    }),
  })
  .meta({ id: 'ProjectEdit' });
export type ProjectEdit = z.output<typeof projectEdit>;

/** Settings of a project as read. */
export const projectSettingsShape = {
  repository: z.string().nullable(),
  ref: z.string().nullable(),
  setup: z.string().nullable(),
  secret: z.string().nullable().meta({ description: 'Name of the secret, never its value.' }),
  exclusive_cwd: z.boolean(),
};

/** The answer of `PATCH /projects/{id}`. */
export const projectSettings = z
  .object({ id: z.string(), name: z.string(), created_at: timestamp, workspace: z.string(), ...projectSettingsShape })
  .meta({ id: 'ProjectSettings' });
