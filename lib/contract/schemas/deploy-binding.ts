import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { NAME_NOTE, nameText } from './fields/name.ts';
import { wholeNumber } from './fields/number.ts';
import { timestamp } from './fields/text.ts';
import { projectName } from './job.ts';
import { BINDING_MODES } from './job-deployment.ts';

const { nameLength, urlLength, commandLength, timeoutSeconds, formerSecretSeconds } = LIMITS.deployBindings;

const command = z
  .string()
  .min(1)
  .max(commandLength)
  .refine((text) => !text.includes('\0'), 'expected a command without NUL');

/** The fields that belong to modes. All are optional: what is missing is said in `missing`. */
const modeShape = {
  target_url: z
    .string()
    .min(1)
    .max(urlLength)
    .optional()
    .meta({ description: 'Mode generic: where the signed call goes; https.', example: 'https://ci.example.com/hook' }),
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, 'expected whsec_ and the base64 of 24 to 64 bytes')
    .optional()
    .meta({
      description: 'Mode generic: what calls are signed with, as Standard Webhooks has it. Without it one is made.',
      writeOnly: true,
    }),
  rotate_secret: z
    .boolean()
    .optional()
    .meta({
      description: `Mode generic: makes a new secret; calls are signed with both for ${formerSecretSeconds / 3600} hours.`,
    }),
  command: command
    .optional()
    .meta({ description: "Mode custom: run by bash in the job's working folder after its success." }),
  open_url: z.string().min(1).max(urlLength).optional().meta({
    description:
      'Mode hosted_editor: an address with `{cwd}` and `{project}`, which are put in URL-encoded; none of them in its scheme, user, host or port.',
    example: 'https://editor.example.com/?folder={cwd}',
  }),
  framework: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,49}$/, 'expected a name such as nextjs, vite, astro, django')
    .optional()
    .meta({
      description: 'Mode web_framework: whose commands are run; `nextjs`, `vite`, `astro`, `django` and others.',
    }),
  install_command: command.optional().meta({ description: "Mode web_framework: instead of the framework's." }),
  build_command: command.optional().meta({ description: "Mode web_framework: instead of the framework's." }),
  deploy_command: command.optional().meta({ description: "Mode web_framework: instead of the framework's." }),
  timeout_seconds: wholeNumber(timeoutSeconds)
    .optional()
    .meta({ description: `Modes custom and web_framework: of each command. Default ${timeoutSeconds.default}.` }),
};

/** `POST /deploy-bindings`. */
export const bindingWrite = z
  .strictObject({
    binding_mode: z.enum(BINDING_MODES),
    project_id: projectName.optional().meta({ description: `Id or name. Default \`local_project\`. ${NAME_NOTE}` }),
    project: projectName.optional().meta({ description: 'Another way to give `project_id`.' }),
    name: nameText(nameLength)
      .optional()
      .meta({ description: `Default: the mode. ${NAME_NOTE}` }),
    ...modeShape,
  })
  .meta({ id: 'DeployBindingWrite' });
export type BindingWrite = z.output<typeof bindingWrite>;

/** The fields that each mode has of its own. */
export const MODE_FIELDS = {
  generic: ['target_url', 'secret', 'rotate_secret'],
  custom: ['command', 'timeout_seconds'],
  hosted_editor: ['open_url'],
  web_framework: ['framework', 'install_command', 'build_command', 'deploy_command', 'timeout_seconds'],
} as const satisfies Record<(typeof BINDING_MODES)[number], readonly (keyof typeof modeShape)[]>;

/** A deploy binding as read. */
export const deployBinding = z
  .object({
    id: z.string(),
    project_id: z.string(),
    project: z.string(),
    name: z.string(),
    binding_mode: z.enum(BINDING_MODES),
    ready: z
      .boolean()
      .meta({ description: 'Whether it does something. Otherwise `missing` or `disabled_reason` says why.' }),
    missing: z.array(z.string()).meta({ description: 'Fields without which it does nothing.' }),
    disabled_reason: z.string().nullable().meta({
      description:
        'Why it was switched off, where writing it switches it on again; or what is wrong with its `open_url`.',
    }),
    target_url: z.string().nullable(),
    command: z.string().nullable(),
    open_url: z.string().nullable(),
    framework: z.string().nullable(),
    install_command: z.string().nullable(),
    build_command: z.string().nullable(),
    deploy_command: z.string().nullable(),
    timeout_seconds: z.number().int().nullable(),
    commands: z.array(z.string()).meta({ description: 'What is run, in this order, up to the first failure.' }),
    secret: z.string().optional().meta({ description: 'Only in the answer to the call that made it.' }),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'DeployBinding' });
export type BindingView = z.output<typeof deployBinding>;

export const bindingListQuery = z.object({
  project: projectName.optional().meta({ description: 'Only bindings of the project with this id or name.' }),
});

/** `GET /deploy-bindings`. */
export const bindingList = z.object({ items: z.array(deployBinding) }).meta({ id: 'DeployBindingList' });
