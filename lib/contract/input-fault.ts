import type * as z from 'zod';

const RECEIVED_LENGTH = 60;

/** Says of a schema's complaint where it is, what was received and what is allowed. */
export function faultSentence(where: string, issue: z.core.$ZodIssue, input: unknown): string {
  const place = [where, ...issue.path.map(String)].join('.');
  const value = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input);
  if (value === undefined) return `${place}: is missing; ${allowed(issue)}`;
  return `${place}: received ${received(value)}; ${allowed(issue)}`;
}

function allowed(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected}`;
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
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
  const shown = text.length > RECEIVED_LENGTH ? `${text.slice(0, RECEIVED_LENGTH)}… (${text.length} characters)` : text;
  return `${shown} (${Array.isArray(value) ? 'array' : typeof value})`;
}
