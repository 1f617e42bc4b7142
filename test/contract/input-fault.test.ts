import { expect, it } from 'vitest';
import * as z from 'zod';
import { describeIssue } from '../../lib/contract/input/input-fault.ts';

/** What the first fault of a value is described as, in a body. */
function faultOf(schema: z.ZodType, value: unknown, where = 'body'): string | undefined {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && describeIssue(where, issue, value);
}

const TAGS = z.array(z.string()).min(2).max(3);

it.for([
  ['a short list', TAGS, ['a'], 'body: received ["a"] (array); expected a length of at least 2'],
  [
    'a long list',
    TAGS,
    ['a', 'b', 'c', 'd'],
    'body: received ["a","b","c","d"] (array); expected a length of at most 3',
  ],
  ['an empty text', z.string().min(1), '', 'body: received "" (string); expected a non-empty string'],
  ['a short text', z.string().min(2), 'a', 'body: received "a" (string); expected a length of at least 2'],
  ['a long text', z.string().max(1), 'ab', 'body: received "ab" (string); expected a length of at most 1'],
  ['a small number', z.number().min(1), 0, 'body: received 0 (number); expected at least 1'],
  ['a number at an open bound', z.number().gt(1), 1, 'body: received 1 (number); expected more than 1'],
  ['a large number', z.number().max(1), 2, 'body: received 2 (number); expected at most 1'],
  ['a number at an open upper bound', z.number().lt(1), 1, 'body: received 1 (number); expected less than 1'],
  ['a fraction', z.int(), 1.5, 'body: received 1.5 (number); expected a whole number'],
  ['another type', z.number(), 'a', 'body: received "a" (string); expected number'],
  [
    'another type with a custom text',
    z.number('expected seconds'),
    'a',
    'body: received "a" (string); expected seconds',
  ],
  ['infinity', z.number(), Infinity, 'body: received Infinity (number); expected number'],
  ['null', z.string(), null, 'body: received null; expected string'],
  ['another value', z.enum(['a', 'b']), 'c', 'body: received "c" (string); expected one of "a", "b"'],
  ['an unknown member', z.strictObject({}, 'expected none'), { a: 1, b: 2 }, 'body: unknown "a", "b"; expected none'],
  [
    'a wrong name',
    z.record(z.string().regex(/^[A-Z]+$/, 'expected capitals'), z.string()),
    { a: 'x' },
    'body.a: received "x" (string); expected capitals',
  ],
] as const)('%s is described with place, received and allowed', ([, schema, value, fault]) => {
  expect(faultOf(schema, value)).toBe(fault);
});

it('a place names members and indexes, from the outermost that is known', () => {
  const schema = z.object({ rules: z.array(z.object({ text: z.string() })) });
  const value = { rules: [{ text: 'a' }, {}] };
  expect(faultOf(schema, value)).toBe('body.rules[1].text: is missing; expected string');
  expect(faultOf(schema, value, '')).toBe('rules[1].text: is missing; expected string');
});

it('a long value is cut after 60 characters', () => {
  const shown = (length: number) => faultOf(z.number(), 'a'.repeat(length));
  expect(shown(58)).toBe(`body: received "${'a'.repeat(58)}" (string); expected number`);
  expect(shown(59)).toBe(`body: received "${'a'.repeat(59)}… (61 characters) (string); expected number`);
});
