import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { NAME_NOTE, nameText } from './fields/name.ts';
import { wholeNumber } from './fields/number.ts';
import { timestamp } from './fields/text.ts';
import { projectName } from './jobs/job-creation.ts';
import { BINDING_MODES } from './jobs/job-deployment.ts';

const { nameLength, urlLength, commandLength, timeoutSeconds, formerSecretSeconds } = LIMITS.deployBindings;

const command = z.string().min(1).max(commandLength);

/** The fields that belong to modes. All are optional: `missing` lists the absent ones. */
const modeShape = {
  target_url: z.string().min(1).max(urlLength).optional().meta({
    description: 'Mode `generic`: https URL that receives the signed call.',
    example: 'https://ci.example.com/hook',
  }),
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, 'expected whsec_ and the base64 of 24 to 64 bytes')
    .optional()
    .meta({
      description:
        'Mode `generic`: secret that signs the calls, in the format of Standard Webhooks. Default: a generated secret.',
      writeOnly: true,
    }),
  rotate_secret: z
    .boolean()
    .optional()
    .meta({
      description: `Mode \`generic\`: generate a new secret. Calls are signed with both secrets for ${formerSecretSeconds / 3600} hours.`,
    }),
  command: command.optional().meta({
    description: "Mode `custom`: command that bash runs in the job's working folder when the job has succeeded.",
  }),
  open_url: z.string().min(1).max(urlLength).optional().meta({
    description:
      'Mode `hosted_editor`: URL template. `{cwd}` and `{project}` are replaced by URL-encoded values; they are not allowed in the scheme, user, host or port.',
    example: 'https://editor.example.com/?folder={cwd}',
  }),
  framework: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,49}$/, 'expected a name such as nextjs, vite, astro, django')
    .optional()
    .meta({
      description:
        'Mode `web_framework`: framework that provides the default commands: `nextjs`, `vite`, `astro`, `django` and others.',
    }),
  install_command: command
    .optional()
    .meta({ description: 'Mode `web_framework`: replaces the default install command.' }),
  build_command: command.optional().meta({ description: 'Mode `web_framework`: replaces the default build command.' }),
  deploy_command: command
    .optional()
    .meta({ description: 'Mode `web_framework`: replaces the default deploy command.' }),
  timeout_seconds: wholeNumber(timeoutSeconds)
    .optional()
    .meta({
      description: `Modes \`custom\` and \`web_framework\`: timeout of each command in seconds. Default: ${timeoutSeconds.default}.`,
    }),
};

/** `POST /deploy-bindings`. */
export const bindingWrite = z
  .strictObject({
    binding_mode: z.enum(BINDING_MODES),
    project_id: projectName
      .optional()
      .meta({ description: `Id or name of the project. Default: \`local_project\`. ${NAME_NOTE}` }),
    project: projectName.optional().meta({ description: 'Alias of `project_id`.' }),
    name: nameText(nameLength)
      .optional()
      .meta({ description: `Name of the binding. Default: the mode. ${NAME_NOTE}` }),
    ...modeShape,
  })
  .meta({ id: 'DeployBindingWrite' });
export type BindingWrite = z.output<typeof bindingWrite>;

/** Fields that are specific to each mode. */
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
      .meta({ description: 'Whether the binding is active. If not, `missing` or `disabled_reason` explains why.' }),
    missing: z.array(z.string()).meta({ description: 'Required fields that are not set.' }),
    disabled_reason: z.string().nullable().meta({
      description:
        'Why the binding was disabled, or what is wrong with its `open_url`. Updating the binding enables it again.',
    }),
    target_url: z.string().nullable(),
    command: z.string().nullable(),
    open_url: z.string().nullable(),
    framework: z.string().nullable(),
    install_command: z.string().nullable(),
    build_command: z.string().nullable(),
    deploy_command: z.string().nullable(),
    timeout_seconds: z.number().int().nullable(),
    commands: z
      .array(z.string())
      .meta({ description: 'Commands in the order in which they run. A failure stops the sequence.' }),
    secret: z.string().optional().meta({ description: 'Returned only by the call that created the secret.' }),
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
