import type * as z from 'zod';
import { shown } from './legible.ts';

const RECEIVED_LENGTH = 60;
/** Names that one sentence lists, and the length of each. */
const NAMES = { count: 10, length: 60 } as const;

/** Formats a schema issue: its place, what was received and what is allowed. `where` may be empty. */
export function describeIssue(where: string, issue: z.core.$ZodIssue, input: unknown): string {
  const place = placeOf(where, issue.path);
  if (issue.code === 'unrecognized_keys') return `${place}: unknown ${nameList(issue.keys)}; ${issue.message}`;
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input);
  if (value === undefined) return `${place}: is missing; ${allowed(issue)}`;
  return `${place}: received ${received(value)}; ${allowed(issue)}`;
}

/** Names in quotes, so many and so long that any number of them fits into an answer. */
export function nameList(names: readonly string[]): string {
  const first = names.slice(0, NAMES.count).map((name) => shown(name, NAMES.length));
  const rest = names.length - first.length;
  return `${first.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** `rules[2].text` */
export function placeOf(where: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((place, key) => {
    if (typeof key === 'number') return `${place}[${key}]`;
    const name = typeof key === 'string' ? cut(key) : String(key);
    return place === '' ? name : `${place}.${name}`;
  }, where);
}

function cut(name: string): string {
  return name.length <= NAMES.length ? name : `${name.slice(0, NAMES.length)}…`.toWellFormed();
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

/** A value in a sentence: what it begins with, and its type. */
export function received(value: unknown): string {
  if (value === null) return 'null';
  const text = typeof value === 'number' ? String(value) : shown(value, RECEIVED_LENGTH);
  return `${text} (${Array.isArray(value) ? 'array' : typeof value})`;
}
