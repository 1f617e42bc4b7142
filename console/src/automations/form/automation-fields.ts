import * as z from 'zod';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { automationCreation, automationEdit } from '../../../../lib/contract/schemas/automation.ts';
import { validationErrorsOf } from '../../api/api-error.ts';
import { type FieldErrors, numberIn } from '../../form/field-errors.ts';
import { fieldErrorOf, issueSentence } from '../../form/issue-sentence.ts';
import { localTime } from '../../format/time-input.tsx';
import { creationOf, JOB_FIELDS, type JobFields, NO_FIELDS } from '../../jobs/form/job-fields.ts';
import { givenValues, type TypedValues, typedValues } from '../../templates/run/template-values.ts';
import type { TemplateParameter } from '../../templates/template-queries.ts';
import type { Automation, AutomationCreation, AutomationEdit } from '../automation-queries.ts';
import { SCHEDULES } from '../automation-words.ts';
import { EVENT_FIELDS, type EventFields, eventFieldsOf, eventOf, NEW_EVENT } from '../event/event-values.ts';
import { HOOK_FIELDS, type HookFields, hookFieldsOf, hookOf, NEW_HOOK } from '../hook/hook-values.ts';

/** The choices of a schedule that are no expression. */
export const CRON = 'cron';
export const EVERY = 'every';

/** The form's values as typed. */
export interface AutomationFields {
  readonly name: string;
  /** What starts its jobs. */
  readonly by: 'schedule' | 'hook' | 'event';
  readonly hook: HookFields;
  readonly event: EventFields;
  /** An expression that the form offers by name, or whether `cron` or `every` has the schedule. */
  readonly when: string;
  readonly cron: string;
  readonly every: string;
  readonly timezone: string;
  readonly overlap: Automation['overlap'];
  readonly missed: Automation['missed'];
  readonly jitter: string;
  readonly pause_after_failures: string;
  /** In the time zone of this browser, as `2026-11-22T14:05`; empty: no end. */
  readonly enabled_until: string;
  /** Empty: the jobs have a prompt. */
  readonly template: string;
  /** Empty: the newest. */
  readonly template_version: string;
  /** Of the parameters of the template. */
  readonly values: TypedValues;
  readonly job: JobFields;
}

/** Of values that were stored. */
export const AUTOMATION_FIELDS: z.ZodType<AutomationFields> = z.object({
  name: z.string(),
  by: z.enum(['schedule', 'hook', 'event']),
  hook: HOOK_FIELDS,
  event: EVENT_FIELDS,
  when: z.string(),
  cron: z.string(),
  every: z.string(),
  timezone: z.string(),
  overlap: z.enum(['skip', 'queue', 'replace']),
  missed: z.enum(['skip', 'latest', 'all']),
  jitter: z.string(),
  pause_after_failures: z.string(),
  enabled_until: z.string(),
  template: z.string(),
  template_version: z.string(),
  values: z.record(z.string(), z.string()),
  job: JOB_FIELDS,
});

/** By the names of fields, of the automation, its trigger or its job; `parameters.NAME`: of a value for its template. */
export type AutomationErrors = FieldErrors<string>;

/** The props of each part of the form. */
export interface AutomationFormPart {
  readonly fields: AutomationFields;
  readonly errors: AutomationErrors;
  readonly onChange: (change: Partial<AutomationFields>) => void;
}

/** A nightly job in the time zone of the reader. */
export const NEW_FIELDS: AutomationFields = {
  name: '',
  by: 'schedule',
  hook: NEW_HOOK,
  event: NEW_EVENT,
  when: SCHEDULES[0].value,
  cron: '30 2 * * *',
  every: '6h',
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  overlap: 'skip',
  missed: 'latest',
  jitter: '',
  pause_after_failures: '',
  enabled_until: '',
  ...{ template: '', template_version: '', values: {} },
  job: NO_FIELDS,
};

/** The form's values for an automation. */
export function fieldsOf(one: Automation): AutomationFields {
  const { cron, every, timezone } = one.trigger.schedule ?? { cron: null, every: null, timezone: NEW_FIELDS.timezone };
  const isKnown = SCHEDULES.some(({ value }) => value === cron);
  return {
    name: one.name,
    by: one.trigger.hook !== null ? 'hook' : one.trigger.event === null ? 'schedule' : 'event',
    hook: one.trigger.hook === null ? NEW_HOOK : hookFieldsOf(one.trigger.hook),
    event: one.trigger.event === null ? NEW_EVENT : eventFieldsOf(one.trigger.event),
    when: isKnown && cron !== null ? cron : every === null ? CRON : EVERY,
    cron: cron ?? NEW_FIELDS.cron,
    every: every ?? NEW_FIELDS.every,
    timezone,
    overlap: one.overlap,
    missed: one.missed,
    jitter: one.jitter === 0 ? '' : String(one.jitter),
    pause_after_failures: String(one.pause_after_failures),
    enabled_until: localTime(one.enabled_until ?? ''),
    template: one.job.template ?? '',
    template_version: String(one.job.template_version ?? ''),
    values: typedValues(one.job.parameters ?? {}),
    job: { ...jobFieldsOf(one.job), project: one.project },
  };
}

/** The fields that a form of a job has, as typed. */
function jobFieldsOf(job: Automation['job']): JobFields {
  const given = Object.entries(job).filter(([name, value]) => name in NO_FIELDS && value !== undefined);
  const typed = given.map(([name, value]) => {
    if (name === 'rule_ids') return [name, value];
    return [name, Array.isArray(value) ? value.join(', ') : String(value)];
  });
  return { ...NO_FIELDS, ...Object.fromEntries(typed) };
}

/** When it is due. */
export function scheduleOf({ when, cron, every, timezone }: AutomationFields) {
  const expression = when === EVERY ? { every: every.trim() } : { cron: when === CRON ? cron.trim() : when };
  return { ...expression, timezone: timezone.trim() };
}

/** What a body has besides the fields. */
export interface Beside {
  /** What the job has that the form does not show. */
  readonly kept: Partial<Automation['job']>;
  /** Those of the template. */
  readonly parameters: readonly TemplateParameter[];
}

/** The body of a creation, not yet validated. Empty fields are left out. */
export function bodyOf(fields: AutomationFields, beside: Beside): AutomationCreation {
  const { name, overlap, missed, jitter, pause_after_failures: pause, enabled_until: until } = fields;
  const { project, ...job } = jobOf(fields, beside);
  const body = {
    name: name.trim(),
    trigger: triggerOf(fields),
    job,
    ...{ overlap, missed },
    ...(project !== undefined && { project }),
    ...(jitter !== '' && { jitter: numberIn(jitter) }),
    ...(pause !== '' && { pause_after_failures: numberIn(pause) }),
    ...(until !== '' && { enabled_until: new Date(until).toISOString() }),
  };
  return body as AutomationCreation;
}

function triggerOf(fields: AutomationFields): AutomationCreation['trigger'] {
  if (fields.by === 'hook') return { hook: hookOf(fields.hook) };
  return fields.by === 'event' ? { event: eventOf(fields.event) } : { schedule: scheduleOf(fields) };
}

function jobOf({ job: typed, template, template_version: version, values }: AutomationFields, beside: Beside) {
  const { prompt, rule_ids, ...job } = creationOf(typed);
  const { kept, parameters } = beside;
  if (template === '') return { ...kept, ...job, prompt, ...(rule_ids !== undefined && { rule_ids }) };
  const given = givenValues(parameters, values);
  return {
    ...{ ...kept, ...job, template },
    ...(version !== '' && { template_version: numberIn(version) }),
    ...(Object.keys(given).length > 0 && { parameters: given }),
  };
}

/** Fields of a job that the form has beyond those of a job. */
const SHOWN = ['template', 'template_version', 'parameters'];

/** What a job has beyond the form's fields, such as those of a later version. */
export function keptOf(job: Automation['job']): Partial<Automation['job']> {
  return Object.fromEntries(Object.entries(job).filter(([name]) => !(name in NO_FIELDS) && !SHOWN.includes(name)));
}

/** Values that an emptied field has. */
const EMPTIED = {
  ...{ jitter: 0, enabled_until: '', project: 'local_project' },
  pause_after_failures: LIMITS.automations.pauseAfterFailures.default,
} as const;

/** The body of an edit: only what differs, so that an unchanged schedule continues and edits of others are kept. */
export function editOf(before: AutomationFields, after: AutomationFields, beside: Beside) {
  const [old, now] = [
    { ...EMPTIED, ...bodyOf(before, beside) },
    { ...EMPTIED, ...bodyOf(after, beside) },
  ];
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof typeof old]),
  );
  return Object.fromEntries(changed) as AutomationEdit;
}

/** What is nested in a body. Its fields have the names that the form has. */
const NESTED = [['trigger', 'schedule'], ['trigger', 'hook'], ['trigger', 'event'], ['job']] as const;

/** The faults of a body that are known without the service. */
export function faultsOf(body: AutomationCreation | AutomationEdit, isEdit: boolean): AutomationErrors {
  const checked = (isEdit ? automationEdit : automationCreation).safeParse(body);
  const errors: Record<string, string> = {};
  for (const issue of checked.error?.issues ?? []) {
    const outer = NESTED.find((names) => names.every((name, at) => issue.path[at] === name)) ?? [];
    const within = outer.reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, body);
    const inner = { ...issue, path: issue.path.slice(outer.length) };
    errors[String(inner.path[0] ?? issue.code)] ??= issueSentence(inner, within);
  }
  return errors;
}

/** The faults that a response names. */
export function responseFaults(error: Error): AutomationErrors {
  const found = validationErrorsOf(error).flatMap((sentence) => {
    const inner = sentence.replace(/^body\.(?:trigger\.(?:schedule|hook|event)|job)\./, 'body.');
    const fault = fieldErrorOf(inner);
    const value = /^body\.(parameters\.[a-z0-9_]+)/.exec(inner)?.[1];
    return fault === undefined ? [] : [[value ?? fault.field, fault.sentence] as const];
  });
  return Object.fromEntries(found);
}
