import type * as z from 'zod';
import { describeIssue } from '../../../lib/contract/input/input-fault.ts';

/**
 * A sentence on how to fix a field. Issues without one here use the API's description of allowed values.
 * @param body the request body
 */
export function issueSentence(issue: z.core.$ZodIssue, body: Readonly<Record<string, unknown>>): string {
  const value = body[String(issue.path[0])];
  if (value === undefined || (typeof value === 'string' && value.trim() === '')) return 'Enter a value.';
  if (issue.path.length === 1 && issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
    return issue.expected === 'number' || issue.expected === 'int' ? 'Enter a number.' : 'Enter text.';
  if (issue.path.length === 1 && issue.code === 'too_big') {
    if (typeof value === 'number') return `Enter at most ${issue.maximum}.`;
    if (typeof value === 'string') return `Use at most ${issue.maximum} characters. You entered ${value.length}.`;
  }
  if (issue.path.length === 1 && issue.code === 'too_small' && typeof value === 'number')
    return `Enter at least ${issue.minimum}.`;
  return allowedOf(describeIssue('', issue, body));
}

/** The field that an API error names, and its allowed values; undefined if it names none. */
export function fieldErrorOf(message: string): { field: string; sentence: string } | undefined {
  const field = /^body\.(\w+)/.exec(message)?.[1];
  return field === undefined ? undefined : { field, sentence: allowedOf(message) };
}

/** Turns `body.x: received 1 (number); expected a name` into `Enter a name.` */
function allowedOf(sentence: string): string {
  const allowed = /^\S*: (?:received .*?; |is missing; )?(.*)$/s.exec(sentence)?.[1] ?? sentence;
  const asked = allowed.replace(/^expected /, 'enter ');
  return `${asked.charAt(0).toUpperCase()}${asked.slice(1)}${/[.!?]$/.test(asked) ? '' : '.'}`;
}
