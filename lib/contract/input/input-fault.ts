import type * as z from 'zod';
import { quoted } from './legible.ts';

const RECEIVED_LENGTH = 60;

/** Formats a schema issue: its place, what was received and what is allowed. `where` may be empty. */
export function describeIssue(where: string, issue: z.core.$ZodIssue, input: unknown): string {
  const place = placeOf(where, issue.path);
  if (issue.code === 'unrecognized_keys')
    return `${place}: unknown ${issue.keys.map(quoted).join(', ')}; ${issue.message}`;
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input);
  if (value === undefined) return `${place}: is missing; ${allowed(issue)}`;
  return `${place}: received ${received(value)}; ${allowed(issue)}`;
}

/** `rules[2].text` */
function placeOf(where: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((place, key) => {
    if (typeof key === 'number') return `${place}[${key}]`;
    return place === '' ? String(key) : `${place}.${String(key)}`;
  }, where);
}

/** Zod's default message, for a schema without a custom one. */
const UNSAID = /^Invalid input/;

function allowed(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message;
    case 'invalid_type':
      if (!UNSAID.test(issue.message)) return issue.message;
      return `expected ${issue.expected === 'int' ? 'a whole number' : issue.expected}`;
    case 'invalid_value':
      return `expected one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'expected a non-empty string';
      return `expected ${issue.origin === 'string' || issue.origin === 'array' ? 'a length of ' : ''}${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `expected ${issue.origin === 'string' || issue.origin === 'array' ? 'a length of ' : ''}${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    default:
      return issue.message;
  }
}

function received(value: unknown): string {
  if (value === null) return 'null';
  const text = typeof value === 'number' ? String(value) : quoted(value);
  const shown = text.length > RECEIVED_LENGTH ? `${text.slice(0, RECEIVED_LENGTH)}… (${text.length} characters)` : text;
  return `${shown} (${Array.isArray(value) ? 'array' : typeof value})`;
}
