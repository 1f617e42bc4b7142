import * as z from 'zod';
import type { DraftEditFields, JobCreation } from '../../../../lib/contract/schemas/jobs/job-creation.ts';
import type { FieldErrors } from '../../form/field-errors.ts';
import { numberIn } from '../../form/field-errors.ts';
import type { Job } from '../queries/job-query.ts';

/** The form's values as typed. */
export interface JobFields {
  readonly prompt: string;
  readonly extra_prompt: string;
  readonly rule_ids: readonly string[];
  readonly profile: string;
  readonly model: string;
  readonly priority: string;
  readonly timeout: string;
  readonly retries: string;
  readonly cwd: string;
  readonly project: string;
  readonly title: string;
  /** Separated by commas. */
  readonly tags: string;
  readonly idempotency_key: string;
}

/** Of values that were stored. */
export const JOB_FIELDS: z.ZodType<JobFields> = z.object({
  prompt: z.string(),
  extra_prompt: z.string(),
  rule_ids: z.array(z.string()),
  profile: z.string(),
  model: z.string(),
  priority: z.string(),
  timeout: z.string(),
  retries: z.string(),
  cwd: z.string(),
  project: z.string(),
  title: z.string(),
  tags: z.string(),
  idempotency_key: z.string(),
});

/** Validation errors by field. */
export type JobErrors = FieldErrors<keyof JobFields>;

/** The props of each part of the form. */
export interface FormPart {
  readonly fields: JobFields;
  readonly errors: JobErrors;
  readonly onChange: (change: Partial<JobFields>) => void;
}

export const NO_FIELDS: JobFields = {
  prompt: '',
  extra_prompt: '',
  rule_ids: [],
  profile: '',
  model: '',
  priority: '',
  timeout: '',
  retries: '',
  cwd: '',
  project: '',
  title: '',
  tags: '',
  idempotency_key: '',
};

/** The form's values for an existing job, without its idempotency key. */
export function fieldsOf(job: Job): JobFields {
  const text = (value: string | number | null) => (value === null ? '' : String(value));
  return {
    prompt: job.prompt,
    extra_prompt: text(job.extra_prompt),
    rule_ids: job.rule_ids,
    profile: job.profile,
    model: text(job.model),
    priority: text(job.priority),
    timeout: text(job.timeout),
    retries: text(job.retries),
    cwd: text(job.cwd),
    project: job.project_id,
    title: text(job.title),
    tags: job.tags.join(', '),
    idempotency_key: '',
  };
}

/** The body of a creation request, not yet validated. Empty fields are left out. */
export function creationOf(fields: JobFields): Record<string, unknown> & Partial<JobCreation> {
  const { prompt, rule_ids, ...others } = fields;
  const given = Object.entries(others).filter(([, text]) => text !== '');
  return {
    prompt,
    ...Object.fromEntries(given.map(([name, text]) => [name, sentOf(name, text)])),
    ...(rule_ids.length > 0 && { rule_ids: [...rule_ids] }),
  };
}

/** The value of a field as sent. */
function sentOf(name: string, text: string): string | number | string[] {
  if (name === 'tags')
    return text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
  return NUMBERS.has(name) ? numberIn(text) : text;
}

const NUMBERS = new Set<string>(['priority', 'timeout', 'retries']);
const EDITABLE = [
  'prompt',
  'extra_prompt',
  'rule_ids',
  'profile',
  'model',
  'priority',
  'timeout',
  'retries',
  'cwd',
  'project',
  'title',
  'tags',
] as const satisfies (keyof JobFields & keyof DraftEditFields)[];

/** One field that an edit changes. */
export interface FieldChange {
  readonly name: (typeof EDITABLE)[number];
  readonly before: string;
  readonly after: string;
}

/** The changed fields, in the form's order. */
export function changesOf(before: JobFields, after: JobFields): FieldChange[] {
  const text = (value: string | readonly string[]) => (typeof value === 'string' ? value : value.join('\n'));
  return EDITABLE.map((name) => ({ name, before: text(before[name]), after: text(after[name]) })).filter(
    (change) => change.before !== change.after,
  );
}

/** The body of an edit request, not yet validated. It has only the changed fields, to keep the edits of others. */
export function editOf(before: JobFields, after: JobFields): Record<string, unknown> & Partial<DraftEditFields> {
  const sent = changesOf(before, after).map(({ name }) => {
    const value = after[name];
    return [name, typeof value === 'string' ? sentOf(name, value) : value];
  });
  return Object.fromEntries(sent);
}
