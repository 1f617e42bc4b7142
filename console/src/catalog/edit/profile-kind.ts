import * as z from 'zod';
import { AGENTS } from '../../../../lib/contract/agents.ts';
import { DRIVE_SETTINGS } from '../../../../lib/contract/drives.ts';
import {
  FOLLOW_UPS,
  followUpsOf,
  profileEntry,
  RESUMES,
  SANDBOXES,
  TOOLS,
} from '../../../../lib/contract/schemas/profile.ts';
import { type FieldErrors, fieldErrors, numberIn } from '../../form/field-errors.ts';
import type { Profile } from '../catalog-queries.ts';
import type { EntryKind } from './entry-kind.ts';

const variable = z.object({ name: z.string(), isSecret: z.boolean(), value: z.string() });
/** A variable as typed. `value` is plain text or the name of a secret. */
export type Variable = z.output<typeof variable>;

const profileFields = z.object({
  name: z.string(),
  agent: z.enum(AGENTS),
  model: z.string(),
  timeout: z.string(),
  retries: z.string(),
  concurrency: z.string(),
  sandbox: z.enum(SANDBOXES),
  resume: z.enum(RESUMES),
  tools: z.enum(TOOLS),
  /** `default`: by the agent. */
  follow_ups: z.enum(['default', ...FOLLOW_UPS]),
  drive: z.enum(DRIVE_SETTINGS),
  /** Separated by commas. */
  children: z.string(),
  vendor: z.enum(['own', 'practice']),
  /** One per line. */
  args: z.string(),
  env: z.array(variable),
});
/** The form's values. */
export type ProfileFields = z.output<typeof profileFields>;

/** The initial values of the form. */
export function profileFieldsOf(profile: Profile | undefined): ProfileFields {
  const text = (value: number | string | null | undefined) => (value == null ? '' : String(value));
  return {
    name: profile?.name ?? '',
    agent: profile?.agent ?? AGENTS[0],
    model: text(profile?.model),
    timeout: text(profile?.timeout),
    retries: profile === undefined ? '' : String(profile.retries),
    concurrency: text(profile?.concurrency),
    sandbox: profile?.sandbox ?? 'none',
    resume: profile?.resume ?? 'auto',
    tools: profile?.tools ?? 'on',
    follow_ups:
      profile === undefined || profile.follow_ups === followUpsOf({ agent: profile.agent })
        ? 'default'
        : profile.follow_ups,
    drive: profile?.drive ?? 'auto',
    children: (profile?.children ?? []).join(', '),
    vendor: profile?.vendor ?? 'own',
    args: (profile?.args ?? []).join('\n'),
    env: Object.entries(profile?.env ?? {}).map(([name, value]) =>
      typeof value === 'string' ? { name, isSecret: false, value } : { name, isSecret: true, value: value.secret },
    ),
  };
}

/** The form of a profile; `stored` is the profile to edit. */
export function profileKind(stored: Profile | undefined): EntryKind<ProfileFields> {
  const entryOf = (fields: ProfileFields) => profileEntryOf(fields, stored?.args ?? []);
  return {
    what: 'profile',
    list: 'profiles',
    key: 'name',
    fields: profileFields,
    labels: {
      name: 'Name',
      agent: 'Agent',
      model: 'Model',
      timeout: 'Timeout',
      retries: 'Retries',
      concurrency: 'Concurrency',
      sandbox: 'Sandbox',
      resume: 'After an interruption',
      tools: 'Tools',
      follow_ups: 'Follow-up blocks',
      drive: 'Messages',
      children: 'Profiles of started jobs',
      vendor: 'Vendor',
      args: 'Arguments',
      env: 'Environment variables',
    },
    entryOf,
    validationErrorsOf: (fields) => ({ ...profileErrors(entryOf(fields), fields.env), ...variableErrors(fields.env) }),
    textOf: (fields, name) => {
      if (name === 'env') return given(fields.env).map(variableLine).join('\n');
      return name === 'args' ? fields.args : fields[name].trim();
    },
  };
}

/**
 * @param storedArgs sent unchanged unless they were edited: one line per argument can't show an argument with line
 * breaks
 */
function profileEntryOf(fields: ProfileFields, storedArgs: readonly string[]): Record<string, unknown> {
  const settings = (['model', 'timeout', 'retries', 'concurrency'] as const)
    .map((name) => [name, fields[name].trim()] as const)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => [name, name === 'model' ? text : numberIn(text)]);
  const args =
    fields.args === storedArgs.join('\n') ? storedArgs : fields.args.split('\n').filter((line) => line !== '');
  const children = fields.children.split(',').flatMap((name) => name.trim() || []);
  const env = given(fields.env).map(({ name, isSecret, value }) => [
    name.trim(),
    isSecret ? { secret: value.trim() } : value,
  ]);
  return {
    name: fields.name.trim(),
    agent: fields.agent,
    ...Object.fromEntries(settings),
    ...(args.length > 0 && { args }),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
    ...(fields.sandbox !== 'none' && { sandbox: fields.sandbox }),
    ...(fields.resume !== 'auto' && { resume: fields.resume }),
    ...(fields.tools !== 'on' && { tools: fields.tools }),
    ...(fields.follow_ups !== 'default' && { follow_ups: fields.follow_ups }),
    ...(fields.drive !== 'auto' && { drive: fields.drive }),
    ...(children.length > 0 && { children }),
    ...(fields.vendor !== 'own' && { vendor: fields.vendor }),
  };
}

/** What the contract rejects. A variable's error is at its row. */
function profileErrors(entry: Record<string, unknown>, env: readonly Variable[]): FieldErrors<string> {
  const { env: _, ...others } = entry;
  const rows = env.flatMap((row, at) => {
    if (isEmpty(row)) return [];
    const { env: invalid } = fieldErrors<string>(profileEntry, {
      name: 'x',
      agent: 'shell',
      env: { [row.name.trim()]: row.isSecret ? { secret: row.value.trim() } : row.value },
    });
    return invalid === undefined ? [] : [[`env.${at}`, invalid] as const];
  });
  return { ...fieldErrors<string>(profileEntry, others), ...Object.fromEntries(rows) };
}

/** Errors that the contract can't detect, because an entry can't represent them. */
function variableErrors(env: readonly Variable[]): FieldErrors<string> {
  const names = env.map(({ name }) => name.trim());
  return Object.fromEntries(
    env.flatMap((row, at) => {
      if (isEmpty(row)) return [];
      const name = row.name.trim();
      if (name === '') return [[`env.${at}`, 'Enter a variable name.']];
      return names.indexOf(name) < at ? [[`env.${at}`, `The variable ${name} is already defined.`]] : [];
    }),
  );
}

function given(env: readonly Variable[]): readonly Variable[] {
  return env.filter((row) => !isEmpty(row));
}

function isEmpty({ name, value }: Variable): boolean {
  return name.trim() === '' && value === '';
}

function variableLine({ name, isSecret, value }: Variable): string {
  return isSecret ? `${name.trim()}: secret ${value.trim()}` : `${name.trim()}=${value}`;
}
