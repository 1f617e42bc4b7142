import * as z from 'zod';
import { AGENTS } from '../agents.ts';
import { LIMITS } from '../limits.ts';
import { REFUSED_NAMES, whyRefused } from '../profile-variables.ts';
import { unknownMember, withoutNulls } from './fields/entry.ts';
import { nameText } from './fields/name.ts';
import { timeoutNumber, wholeNumber } from './fields/number.ts';
import { timestamp } from './fields/text.ts';

export { AGENTS };

const { catalog } = LIMITS;

export const SANDBOXES = ['workspace-write', 'read-only', 'none'] as const;

/** What names a rule, a profile. */
export const catalogName = z
  .string({ error: 'expected a name' })
  .regex(
    new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${catalog.nameLength - 1}}$`),
    `expected 1 to ${catalog.nameLength} letters, digits, dots, underscores and hyphens, a letter or digit first`,
  );

const oneLine = (max: number) =>
  z
    .string({ error: 'expected a string' })
    .max(max, `expected at most ${max} characters`)
    .refine((text) => !text.includes('\0'), 'expected a string without NUL');

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

const envValue = z.union(
  [oneLine(catalog.envValueLength), z.strictObject({ secret: secretName }, { error: unknownMember({ secret: true }) })],
  {
    error: `expected a string of at most ${catalog.envValueLength} characters, or {"secret": NAME} with the name of a secret`,
  },
);

const shape = {
  name: catalogName.meta({ description: 'What jobs ask for.' }),
  agent: z.enum(AGENTS).meta({ description: 'Whose CLI runs the prompt; `shell`: the prompt is a bash script.' }),
  model: nameText(200, 'expected a non-empty string').optional().meta({ description: 'Where a job names none.' }),
  args: z
    .array(oneLine(catalog.argLength), { error: 'expected a list of strings' })
    .max(catalog.args)
    .optional()
    .meta({ description: "Added to the agent's own arguments." }),
  env: z
    .record(envName, envValue, { error: 'expected an object of strings and {"secret": NAME}' })
    .refine((env) => Object.keys(env).length <= catalog.env, `expected at most ${catalog.env} variables`)
    .optional()
    .meta({
      description: `Added to the agent's environment: a text, or the name of a secret, never its value. A value stored for this profile comes before the one that all profiles share. Refused names: ${REFUSED_NAMES}.`,
    }),
  sandbox: z.enum(SANDBOXES).optional().meta({
    description:
      '`none` (default): the container is the sandbox. In the cloud only `none` is accepted: the sandboxes of the CLIs need user namespaces, which containers on Fargate do not have.',
  }),
  timeout: timeoutNumber()
    .optional()
    .meta({ description: "Per attempt, in the deployment's unit, where a job gives none." }),
  retries: wholeNumber(LIMITS.retries).optional().meta({ description: 'Where a job gives none.' }),
  concurrency: wholeNumber(catalog.concurrency).optional().meta({
    description:
      'How many of its jobs run at once at most, whoever runs them; the others wait as `profile_busy`. Absent: no limit. It is judged when a job is to start: one that runs already is not ended.',
  }),
  vendor: z
    .enum(['own', 'practice'])
    .optional()
    .meta({ description: '`practice`: the stand-in vendor that only the local run has.' }),
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

/** Where a rule or profile comes from. */
export const source = z.enum(['built_in', 'imported']);

/** An item of `GET /profiles`. */
export const profileView = z
  .object({
    name: z.string(),
    agent: z.enum(AGENTS),
    model: z.string().nullable().meta({ description: "Null: the agent's own default." }),
    args: z.array(z.string()),
    env: z.record(z.string(), z.union([z.string(), z.object({ secret: z.string() })])),
    sandbox: z.enum(SANDBOXES),
    timeout: z.number().nullable(),
    timeout_unit: z.string(),
    retries: z.number().int(),
    concurrency: z.number().int().nullable().meta({ description: 'Null: no limit.' }),
    vendor: z.enum(['own', 'practice']),
    is_default: z.boolean().meta({ description: 'Whether jobs that name no profile get it.' }),
    source,
    updated_at: timestamp.nullable().meta({ description: 'Null of what is built in.' }),
  })
  .meta({ id: 'Profile' });
export type ProfileView = z.output<typeof profileView>;
