import * as z from 'zod';
import { AGENTS } from '../agents.ts';
import { DRIVE_SETTINGS } from '../drives.ts';
import { LIMITS } from '../limits.ts';
import { REFUSED_NAMES, whyRefused } from '../profile-variables.ts';
import { unknownMember, withoutNulls } from './fields/entry.ts';
import { nameText } from './fields/name.ts';
import { timeoutNumber, wholeNumber } from './fields/number.ts';
import { timestamp } from './fields/text.ts';

const { catalog } = LIMITS;

/** Whether attempts continue the session of an interrupted one. */
export const RESUMES = ['auto', 'never'] as const;

/** Whether agents can call the tools of their attempt. */
export const TOOLS = ['on', 'off'] as const;

/** Whether follow-up blocks in the output become jobs. */
export const FOLLOW_UPS = ['on', 'off'] as const;

/** Whether follow-up blocks of a profile's jobs become jobs. A script prints what others wrote, so there it is opt-in. */
export function followUpsOf(profile: {
  readonly agent: string;
  readonly follow_ups?: (typeof FOLLOW_UPS)[number] | undefined;
}): (typeof FOLLOW_UPS)[number] {
  return profile.follow_ups ?? (profile.agent === 'shell' ? 'off' : 'on');
}

export const SANDBOXES = ['workspace-write', 'read-only', 'none'] as const;

/** Name of a profile, or id of a rule. */
export const catalogName = z
  .string({ error: 'expected a name' })
  .regex(
    new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${catalog.nameLength - 1}}$`),
    `expected 1 to ${catalog.nameLength} letters, digits, dots, underscores and hyphens, a letter or digit first`,
  );

const oneLine = (max: number) =>
  z.string({ error: 'expected a string' }).max(max, `expected at most ${max} characters`);

/** Names of secrets are names of environment variables too. */
export const secretName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'expected letters, digits and underscores, no digit first');

const envName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'the name: expected letters, digits and underscores, no digit first')
  .refine((name) => whyRefused(name) === undefined, {
    error: ({ input }) => `a profile can't set this variable: ${whyRefused(String(input))}`,
  });

const secretShape = { secret: secretName, commands: z.boolean({ error: 'expected true or false' }).optional() };

const envValue = z.union(
  [oneLine(catalog.envValueLength), z.strictObject(secretShape, { error: unknownMember(secretShape) })],
  {
    error: `expected a string of at most ${catalog.envValueLength} characters, or {"secret": NAME} with the name of a secret`,
  },
);

const shape = {
  name: catalogName.meta({ description: 'Identifies the profile in the `profile` of jobs.' }),
  agent: z
    .enum(AGENTS)
    .meta({ description: 'Agent CLI that runs the prompt. `shell` runs the prompt as a bash script.' }),
  model: nameText(200, 'expected a non-empty string').optional().meta({ description: 'Model of jobs that set none.' }),
  args: z
    .array(oneLine(catalog.argLength), { error: 'expected a list of strings' })
    .max(catalog.args)
    .optional()
    .meta({ description: 'Additional command line arguments of the agent.' }),
  env: z
    .record(envName, envValue, { error: 'expected an object of strings and {"secret": NAME}' })
    .refine((env) => Object.keys(env).length <= catalog.env, `expected at most ${catalog.env} variables`)
    .optional()
    .meta({
      description: `Additional environment variables of the agent. A value is a string or the name of a secret, never the value of the secret. A secret stored for this profile takes precedence over one that all profiles share. The commands that an agent runs see the strings, and a secret only with \`"commands": true\`; a script, the setup of a repository and the commands of deploy bindings see all of them. Names that are not allowed: ${REFUSED_NAMES}.`,
    }),
  sandbox: z.enum(SANDBOXES).optional().meta({
    description:
      'Sandbox of the agent CLI. `none` (default): the container is the sandbox. AWS accepts only `none`, because the sandboxes of the CLIs need user namespaces, which Fargate does not provide.',
  }),
  timeout: timeoutNumber()
    .optional()
    .meta({ description: 'Timeout of jobs that set none, per attempt, in the unit of the deployment.' }),
  retries: wholeNumber(LIMITS.retries).optional().meta({ description: 'Retries of jobs that set none.' }),
  concurrency: wholeNumber(catalog.concurrency).optional().meta({
    description:
      'Maximum number of jobs of this profile that run at a time, across all workers. Other jobs wait with the reason `profile_busy`. Absent: no limit. A lower value does not stop running jobs.',
  }),
  resume: z.enum(RESUMES).optional().meta({
    description:
      'Whether an attempt continues the session of the one before if that was interrupted by a usage limit, a missing account, the loss of its worker or a stop of its worker. `never`: every attempt starts from the prompt. Default: `auto`.',
  }),
  drive: z.enum(DRIVE_SETTINGS).optional().meta({
    description:
      'How the agent CLI is run. `auto` (default): so that it takes messages while it runs, by the app server of codex, if `args` has only options that set its configuration, and by streamed input of claude. `exec`: it gets nothing but its prompt.',
  }),
  tools: z.enum(TOOLS).optional().meta({
    description:
      'Whether the agent gets the tools of Promptq while it runs, for example to report its progress. Agent `shell` gets none. Default: `on`.',
  }),
  follow_ups: z.enum(FOLLOW_UPS).optional().meta({
    description:
      'Whether blocks `follow-up-job` become jobs: those in the final message of an agent, or on the stdout of a script. Default: `on`; for agent `shell` `off`, because a script prints what others wrote.',
  }),
  children: z
    .array(catalogName, { error: 'expected a list of names of profiles' })
    .max(catalog.children)
    .optional()
    .meta({
      description:
        'Profiles that jobs of this profile may give to the jobs that they start, by the tool `create_job` or by follow-up blocks, besides this one. Default: none.',
    }),
  vendor: z
    .enum(['own', 'practice'])
    .optional()
    .meta({ description: '`practice`: the stand-in vendor of the local run.' }),
};

/** A profile as a configuration document holds it. */
export const profileEntry = z.preprocess(
  withoutNulls,
  z
    .strictObject(shape, { error: unknownMember(shape) })
    .refine(
      (profile) => JSON.stringify(profile).length <= catalog.profileLength,
      `expected at most ${catalog.profileLength} characters of JSON in all`,
    )
    .meta({ id: 'ProfileEntry' }),
);

/** Origin of a rule or profile. */
export const source = z.enum(['built_in', 'imported']);

/** An item of `GET /profiles`. */
export const profileView = z
  .object({
    name: z.string(),
    agent: z.enum(AGENTS),
    model: z.string().nullable().meta({ description: 'Null: the default model of the agent.' }),
    args: z.array(z.string()),
    env: z.record(
      z.string(),
      z.union([z.string(), z.object({ secret: z.string(), commands: z.boolean().optional() })]),
    ),
    sandbox: z.enum(SANDBOXES),
    timeout: z.number().nullable(),
    timeout_unit: z.string(),
    retries: z.number().int(),
    concurrency: z.number().int().nullable().meta({ description: 'Null: no limit.' }),
    resume: z.enum(RESUMES),
    drive: z.enum(DRIVE_SETTINGS),
    tools: z.enum(TOOLS),
    follow_ups: z.enum(FOLLOW_UPS),
    children: z.array(z.string()).meta({ description: 'Further profiles of the jobs that its jobs start.' }),
    vendor: z.enum(['own', 'practice']),
    is_default: z.boolean().meta({ description: 'Whether jobs that set no profile use this one.' }),
    source,
    updated_at: timestamp.nullable().meta({ description: 'Null for built-in profiles.' }),
  })
  .meta({ id: 'Profile' });
export type ProfileView = z.output<typeof profileView>;
