import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { placedParameters } from '../templates/compose-template.ts';
import { expectedValue, PARAMETER_TYPES } from '../templates/parameter-values.ts';
import { patternFault } from '../templates/pattern.ts';
import { placeholderFaults } from '../templates/placeholders.ts';
import { unknownMember, withoutNulls } from './fields/entry.ts';
import { nextCursor } from './fields/page.ts';
import { givenValues, jobValues, parameterName, parameterValue } from './fields/parameter.ts';
import { integerParameter, timestamp } from './fields/text.ts';
import { editableShape, projectName, safeInteger } from './jobs/job-creation.ts';
import { catalogName } from './profile.ts';

const limits = LIMITS.templates;

const parameterShape = {
  name: parameterName.meta({
    description: 'Identifies the parameter in placeholders and requests.',
    example: 'package',
  }),
  type: z.enum(PARAMETER_TYPES).meta({
    description: `\`string\`: one line of at most ${limits.stringLength} characters. \`text\`: any text of at most ${limits.textLength} characters. \`enum\`: one of \`values\`.`,
    example: 'string',
  }),
  description: z.string().max(limits.parameterDescriptionLength).optional(),
  required: z.boolean().optional().meta({
    description:
      'Whether a job needs a value. `false`: without one, the placeholders become empty. Default: true. A parameter with a default always has a value.',
  }),
  default: parameterValue
    .optional()
    .meta({ description: 'The value of jobs that give none. A string, number or boolean.' }),
  example: parameterValue.optional().meta({ description: 'A value that forms show as an example.' }),
  pattern: z.string().min(1).max(limits.patternLength).optional().meta({
    description:
      'A regular expression that matches all of a `string`: characters, `.`, classes such as `[a-z0-9]` and `\\d`, groups, `|`, and the repetitions `*`, `+`, `?` and `{2,5}`. Other expressions are rejected, since matching them can take exponential time.',
    example: '[a-z0-9-]+',
  }),
  values: z
    .array(z.string().min(1).max(limits.choiceLength))
    .min(1)
    .max(limits.choices)
    .optional()
    .meta({ description: 'The allowed values of an `enum`.' }),
};

/** A parameter of a template. */
const templateParameter = z.preprocess(
  withoutNulls,
  z
    .strictObject(parameterShape, { error: unknownMember(parameterShape) })
    .superRefine((parameter, context) => {
      for (const [member, message] of parameterFaults(parameter))
        context.addIssue({ code: 'custom', path: [member], message });
    })
    .meta({ id: 'TemplateParameter' }),
);

type TemplateParameter = z.output<typeof templateParameter>;

function* parameterFaults(parameter: TemplateParameter): Generator<[string, string]> {
  const { type, pattern, values } = parameter;
  if (type === 'enum' && values === undefined) yield ['values', 'expected the allowed values'];
  if (type !== 'enum' && values !== undefined) yield ['values', 'is only for parameters of type enum'];
  if (values !== undefined && new Set(values).size < values.length) yield ['values', 'expected different values'];
  if (type !== 'string' && pattern !== undefined) yield ['pattern', 'is only for parameters of type string'];
  const fault = pattern === undefined ? undefined : patternFault(pattern);
  if (fault !== undefined) return yield ['pattern', `this regular expression is not allowed: ${fault}`];
  for (const member of ['default', 'example'] as const) {
    const value = parameter[member];
    const wrong = value === undefined ? undefined : expectedValue(parameter, value);
    if (wrong !== undefined) yield [member, `expected ${wrong}`];
  }
}

const { extra_prompt, rule_ids, profile, model, priority, timeout, retries, title, tags, cwd } = editableShape;
const settingsShape = { extra_prompt, rule_ids, profile, model, priority, timeout, retries, title, tags, cwd };

const contentShape = {
  description: z
    .string()
    .max(limits.descriptionLength)
    .optional()
    .meta({ description: 'What the template is for. Forms and agents show it.' }),
  prompt: z
    .string({ error: 'expected a non-empty string' })
    .max(limits.promptLength)
    .refine((text) => text.trim() !== '', 'expected more than whitespace')
    .meta({
      description:
        'The prompt. `{{name}}` is replaced by the value of a parameter, and `{{"{{"}}` by two braces; `extra_prompt` and `title` have placeholders too. Values are data: braces in them have no meaning. With a profile of the agent `shell` there must be no placeholder in prompts: use `environment`.',
      example: 'Upgrade {{package}} and run the tests.',
    }),
  parameters: z
    .array(templateParameter, { error: 'expected a list of parameters' })
    .max(limits.parameters)
    .optional()
    .meta({ description: 'The parameters, in the order in which forms show them.' }),
  environment: z.boolean({ error: 'expected true or false' }).optional().meta({
    description:
      'Gives the commands of jobs the values as environment variables: `PROMPTQ_PARAM_` and the name of the parameter in capitals. Parameters then need no placeholder. Default: false.',
  }),
  ...settingsShape,
  project: projectName
    .optional()
    .meta({ description: 'Id or name of the project. An unknown project is created with the first job.' }),
};
type TemplateContent = z.output<z.ZodObject<typeof contentShape>>;

/** What a template's texts and parameters must be together. */
function checkContent(template: TemplateContent, context: z.RefinementCtx): void {
  for (const [path, message] of contentFaults(template)) context.addIssue({ code: 'custom', path: [...path], message });
}

function* contentFaults(template: TemplateContent): Generator<[PropertyKey[], string]> {
  for (const text of ['prompt', 'extra_prompt', 'title'] as const)
    for (const fault of placeholderFaults(template[text] ?? '')) yield [[text], fault];
  const { parameters = [], environment = false } = template;
  const names = parameters.map(({ name }) => name);
  const placed = placedParameters(template);
  for (const [name, text] of placed)
    if (!names.includes(name)) yield [[text], `there is no parameter ${name}, for which it has a placeholder`];
  for (const [at, name] of names.entries()) {
    if (names.indexOf(name) < at) yield [['parameters', at, 'name'], `expected a different name than before: ${name}`];
    else if (!placed.has(name) && !environment)
      yield [['parameters', at, 'name'], `there is no placeholder {{${name}}}; without one, set environment to true`];
  }
  if (JSON.stringify(template).length > limits.length)
    yield [[], `expected at most ${limits.length} characters of JSON in all`];
}

/** Whether a value has the members that `checkContent` reads, whatever else is wrong with it. */
const CHECKABLE = {
  when: ({ value }: { value: unknown }) =>
    z.object({ ...TEXT_MEMBERS, parameters: z.array(z.object({ name: z.string() })).optional() }).safeParse(value)
      .success,
};
const TEXT_MEMBERS = { prompt: z.string(), extra_prompt: z.string().optional(), title: z.string().optional() };

const EXAMPLE = {
  description: 'Upgrades a package.',
  prompt: 'Upgrade {{package}} and run the tests.',
  parameters: [{ name: 'package', type: 'string', pattern: '[a-z0-9@/-]+' }],
};

/** `PUT /templates/{name}`. */
export const templateWrite = z
  .strictObject(contentShape)
  .superRefine(checkContent, CHECKABLE)
  .meta({ id: 'TemplateWrite', example: EXAMPLE });

const entryShape = {
  name: catalogName.meta({ description: 'Identifies the template in the `template` of jobs.', example: 'upgrade' }),
  ...contentShape,
};

/** A template as a configuration document holds it. */
export const templateEntry = z.preprocess(
  withoutNulls,
  z
    .strictObject(entryShape, { error: unknownMember(entryShape) })
    .superRefine(checkContent, CHECKABLE)
    .meta({ id: 'TemplateEntry', example: { name: 'upgrade', ...EXAMPLE } }),
);

const parameterView = z
  .object({
    name: z.string().meta({ example: 'package' }),
    type: z.enum(PARAMETER_TYPES),
    description: z.string().nullable(),
    required: z.boolean().meta({ description: 'Whether a request has to give a value, unless its project does.' }),
    default: parameterValue.optional().meta({ description: 'Absent: none.' }),
    example: parameterValue.optional().meta({ description: 'Absent: none.' }),
    pattern: z.string().nullable(),
    values: z.array(z.string()).nullable(),
  })
  .meta({ id: 'TemplateParameterView' });

/** The settings of a job that a template sets; null: it does not set this one. */
const settingsView = {
  rule_ids: z.array(z.string()).nullable(),
  profile: z.string().nullable(),
  model: z.string().nullable(),
  priority: safeInteger.nullable(),
  timeout: z.number().nullable(),
  retries: z.number().int().nullable(),
  tags: z.array(z.string()).nullable(),
  cwd: z.string().nullable(),
  project: z.string().nullable(),
};

const version = z.number().int().meta({ description: 'Number of the version, from 1.', example: 1 });

/** A version of a template, as read. */
export const templateView = z
  .object({
    name: z.string().meta({ example: 'upgrade' }),
    version,
    description: z.string().nullable(),
    prompt: z.string(),
    extra_prompt: z.string().nullable(),
    title: z.string().nullable(),
    parameters: z.array(parameterView),
    environment: z.boolean(),
    ...settingsView,
    updated_at: timestamp.meta({ description: 'When this version was written.' }),
  })
  .meta({ id: 'Template', description: 'A template. Null: it does not set the member.' });
export type TemplateView = z.output<typeof templateView>;

/** `GET /templates`. */
export const templateList = z
  .object({ items: z.array(templateView), next_cursor: nextCursor })
  .meta({ id: 'TemplateList' });

/** `GET /templates/{name}/versions`. */
export const templateVersions = z
  .object({
    items: z.array(z.object({ version, updated_at: timestamp }).meta({ id: 'TemplateVersion' })),
    next_cursor: nextCursor,
  })
  .meta({ id: 'TemplateVersions' });

export const versionQuery = z.object({
  version: integerParameter({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'The version. Default: the newest. Versions of a deleted template are found by this only.',
  }),
});

/** `POST /templates/{name}/render`: what a request to create a job may set, as far as it matters here. */
export const renderRequest = z
  .strictObject({
    template_version: z.int().min(1).optional().meta({ description: 'Default: the newest.' }),
    parameters: givenValues.optional().meta({ description: 'Values by the names of parameters.' }),
    profile: settingsShape.profile.meta({ description: "Instead of the template's." }),
    project: projectName.optional().meta({ description: "Instead of the template's. Its parameters are defaults." }),
  })
  .meta({ id: 'RenderRequest' });

export type RenderRequest = z.output<typeof renderRequest>;

/** The answer to it. */
export const renderedTemplate = z
  .object({
    name: z.string(),
    version,
    parameters: jobValues.meta({ description: 'All values, with defaults.' }),
    prompt: z.string().meta({ description: 'The prompt that a job would have.' }),
    extra_prompt: z.string().nullable(),
    title: z.string().nullable(),
    environment: z.boolean(),
    ...settingsView,
  })
  .meta({ id: 'RenderedTemplate' });

export type RenderedTemplate = z.output<typeof renderedTemplate>;

/** A template as stored, without its name. */
export type Template = z.output<typeof templateWrite>;
