import { shown } from '../input/legible.ts';
import { LIMITS } from '../limits.ts';
import { matchesPattern } from './pattern.ts';

export const PARAMETER_TYPES = ['string', 'text', 'number', 'boolean', 'enum'] as const;

export type ParameterValue = string | number | boolean;
/** Values by the names of their parameters. */
export type ParameterValues = Readonly<Record<string, ParameterValue>>;

/** A parameter of a template, as far as its values are concerned. */
export interface Parameter {
  readonly name: string;
  readonly type: (typeof PARAMETER_TYPES)[number];
  readonly required?: boolean | undefined;
  readonly default?: ParameterValue | undefined;
  readonly pattern?: string | undefined;
  readonly values?: readonly string[] | undefined;
}

/** Characters of a value that its fault shows. */
const SHOWN_LENGTH = 60;

/** The text of a value, as prompts and environment variables have it. */
export function textOfValue(value: ParameterValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A value of a parameter, given as text: on a command line, or by the project. Its faults are those of `valueFault`. */
export function valueOfText({ type }: Pick<Parameter, 'type'>, text: string): ParameterValue {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && /^-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][-+]?[0-9]{1,3})?$/.test(text)) return Number(text);
  return text;
}

/** What is wrong with a value of a parameter; undefined: nothing. */
export function valueFault(parameter: Omit<Parameter, 'name'>, value: unknown): string | undefined {
  const expected = expectedValue(parameter, value);
  if (expected === undefined) return undefined;
  const type = Array.isArray(value) ? 'array' : typeof value;
  return `received ${shown(value, SHOWN_LENGTH)} (${type}); expected ${expected}`;
}

/** What a value should be that it is not; undefined: it is. */
export function expectedValue(
  { type, pattern, values = [] }: Omit<Parameter, 'name'>,
  value: unknown,
): string | undefined {
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value) ? undefined : 'a number';
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'true or false';
  if (typeof value !== 'string') return type === 'enum' ? oneOf(values) : 'a string';
  if (type === 'enum') return values.includes(value) ? undefined : oneOf(values);
  const most = type === 'text' ? LIMITS.templates.textLength : LIMITS.templates.stringLength;
  if (value.length > most) return `at most ${most} characters`;
  if (type === 'text') return undefined;
  if (CONTROLS.test(value)) return 'one line without control characters';
  return pattern === undefined || matchesPattern(pattern, value) ? undefined : matching(pattern);
}

const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** What a parameter that has no value needs. */
export function neededValue({ type, pattern, values = [] }: Omit<Parameter, 'name'>): string {
  if (type === 'number') return 'a number';
  if (type === 'boolean') return 'true or false';
  if (type === 'enum') return oneOf(values);
  return pattern === undefined ? `a value of type ${type}` : matching(pattern);
}

function matching(pattern: string): string {
  return `a value that matches ${pattern}`;
}

function oneOf(values: readonly string[]): string {
  return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
}
