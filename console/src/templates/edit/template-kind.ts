import * as z from 'zod';
import { templateEntry } from '../../../../lib/contract/schemas/template.ts';
import { PARAMETER_TYPES, textOfValue, valueOfText } from '../../../../lib/contract/templates/parameter-values.ts';
import type { EntryKind } from '../../catalog/edit/entry-kind.ts';
import type { FieldErrors } from '../../form/field-errors.ts';
import { issueSentence } from '../../form/issue-sentence.ts';
import { creationOf, JOB_FIELDS, type JobFields, NO_FIELDS } from '../../jobs/form/job-fields.ts';
import { settingsOf } from '../template-fields.ts';
import type { Template, TemplateParameter } from '../template-queries.ts';

/** A parameter as typed. */
const parameter = z.object({
  name: z.string(),
  type: z.enum(PARAMETER_TYPES),
  description: z.string(),
  required: z.boolean(),
  default: z.string(),
  example: z.string(),
  pattern: z.string(),
  /** One per line. */
  values: z.string(),
});
export type ParameterFields = z.output<typeof parameter>;

export const NO_PARAMETER: ParameterFields = {
  ...{ name: '', type: 'string', description: '', required: true },
  ...{ default: '', example: '', pattern: '', values: '' },
};

/** The form's values: those of a job, and what a template has besides. */
export interface TemplateFields extends JobFields {
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly ParameterFields[];
  /** Whether commands get the values as environment variables. */
  readonly environment: 'yes' | 'no';
}

const TEMPLATE_FIELDS = z.intersection(
  JOB_FIELDS,
  z.object({
    name: z.string(),
    description: z.string(),
    parameters: z.array(parameter),
    environment: z.enum(['yes', 'no']),
  }),
) as z.ZodType<TemplateFields>;

/** The initial values of the form. */
export function templateFieldsOf(template: Template | undefined): TemplateFields {
  if (template === undefined) return { ...NO_FIELDS, name: '', description: '', parameters: [], environment: 'no' };
  return {
    ...settingsOf(template),
    name: template.name,
    description: template.description ?? '',
    prompt: template.prompt,
    extra_prompt: template.extra_prompt ?? '',
    title: template.title ?? '',
    rule_ids: template.rule_ids ?? [],
    parameters: template.parameters.map(parameterFieldsOf),
    environment: template.environment ? 'yes' : 'no',
  };
}

function parameterFieldsOf(one: TemplateParameter): ParameterFields {
  const text = (value: TemplateParameter['default']) => (value === undefined ? '' : textOfValue(value));
  return {
    ...{ name: one.name, type: one.type, description: one.description ?? '' },
    // As read, one with a default is not required.
    required: one.required || one.default !== undefined,
    ...{ default: text(one.default), example: text(one.example), pattern: one.pattern ?? '' },
    values: (one.values ?? []).join('\n'),
  };
}

function parameterOf(fields: ParameterFields): Record<string, unknown> {
  const { name, type, description, required, pattern } = fields;
  const values = fields.values.split('\n').filter((line) => line !== '');
  return {
    ...{ name: name.trim(), type },
    ...(description !== '' && { description }),
    ...(!required && fields.default === '' && { required }),
    ...(fields.default !== '' && { default: valueOfText({ type }, fields.default) }),
    ...(fields.example !== '' && { example: valueOfText({ type }, fields.example) }),
    ...(type === 'string' && pattern !== '' && { pattern }),
    ...(type === 'enum' && { values }),
  };
}

function entryOf(fields: TemplateFields): Record<string, unknown> {
  const { name, description, parameters, environment, ...job } = fields;
  return {
    name: name.trim(),
    ...(description !== '' && { description }),
    ...creationOf(job),
    ...(parameters.length > 0 && { parameters: parameters.map(parameterOf) }),
    ...(environment === 'yes' && { environment: true }),
  };
}

/** What the contract rejects. The errors of a parameter are at `parameters.ROW`. */
function validationErrorsOf(fields: TemplateFields): FieldErrors<string> {
  const entry = entryOf(fields);
  const { error } = templateEntry.safeParse(entry);
  const errors: Record<string, string> = {};
  for (const issue of error?.issues ?? []) {
    const [field, row, member] = issue.path;
    if (field === 'parameters' && typeof row === 'number') {
      const own = (entry.parameters as Record<string, unknown>[])[row] ?? {};
      const sentence = issueSentence({ ...issue, path: issue.path.slice(2) }, own);
      errors[`parameters.${row}`] ??= member === undefined ? sentence : `${labelOf(String(member))}: ${sentence}`;
    } else errors[String(field ?? 'prompt')] ??= issueSentence(issue, entry);
  }
  return errors;
}

const labelOf = (member: string) => member.charAt(0).toUpperCase() + member.slice(1);

/** The form of a template. */
export const TEMPLATE_KIND: EntryKind<TemplateFields> = {
  what: 'template',
  list: 'templates',
  key: 'name',
  fields: TEMPLATE_FIELDS,
  labels: {
    name: 'Name',
    description: 'Description',
    prompt: 'Prompt',
    extra_prompt: 'Extra prompt',
    title: 'Title',
    parameters: 'Parameters',
    environment: 'Environment variables',
    rule_ids: 'Rules',
    profile: 'Profile',
    model: 'Model',
    priority: 'Priority',
    timeout: 'Timeout',
    retries: 'Retries',
    cwd: 'Folder',
    project: 'Project',
    tags: 'Tags',
    idempotency_key: 'Idempotency key',
  },
  entryOf,
  validationErrorsOf,
  textOf: (fields, name) => {
    if (name === 'parameters') return fields.parameters.map((one) => JSON.stringify(parameterOf(one))).join('\n');
    if (name === 'rule_ids') return fields.rule_ids.join('\n');
    return name === 'name' ? fields.name.trim() : fields[name];
  },
};
