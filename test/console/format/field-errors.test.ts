import { expect, it } from 'vitest';
import * as z from 'zod';
import { fieldErrors, numberIn } from '../../../console/src/form/field-errors.ts';
import { fieldErrorOf } from '../../../console/src/form/issue-sentence.ts';

const schema = z.object({
  name: z.string().min(2).max(4).optional(),
  count: z.number().min(1).max(9).optional(),
  whole: z.int().optional(),
  tags: z.array(z.string().max(3)).max(1).optional(),
  kind: z.enum(['a', 'b']).optional(),
});

it.each<[Record<string, unknown>, Record<string, string>]>([
  [{}, {}],
  [{ name: '' }, { name: 'Enter a value.' }],
  [{ name: ' ' }, { name: 'Enter a value.' }],
  [{ name: 1 }, { name: 'Enter text.' }],
  [{ name: 'abcde' }, { name: 'Use at most 4 characters. You entered 5.' }],
  [{ name: 'a' }, { name: 'Enter a length of at least 2.' }],
  [{ count: 'x' }, { count: 'Enter a number.' }],
  [{ whole: 'x' }, { whole: 'Enter a number.' }],
  [{ count: 10 }, { count: 'Enter at most 9.' }],
  [{ count: 0 }, { count: 'Enter at least 1.' }],
  [{ kind: 'c' }, { kind: 'Enter one of "a", "b".' }],
  [{ tags: ['a', 'b'] }, { tags: 'Enter a length of at most 1.' }],
  [{ tags: ['long'] }, { tags: 'Enter a length of at most 3.' }],
  [{ tags: [1] }, { tags: 'Enter string.' }],
  [
    { name: 'a', count: 0 },
    { name: 'Enter a length of at least 2.', count: 'Enter at least 1.' },
  ],
])('%j is parsed into errors of fields', (body, errors) => {
  expect(fieldErrors(schema, body)).toEqual(errors);
});

it.each([
  ['body.name: received 1 (number); expected a name', { field: 'name', sentence: 'Enter a name.' }],
  ['body.name: is missing; expected a name!', { field: 'name', sentence: 'Enter a name!' }],
  ['body.env.A: the name is taken', { field: 'env', sentence: 'The name is taken.' }],
  ['the job is busy', undefined],
  ['query.name: received 1; expected a name', undefined],
])('%s', (message, error) => {
  expect(fieldErrorOf(message)).toEqual(error);
});

it.each([
  ['', ''],
  [' ', ' '],
  ['12', 12],
  [' 1.5 ', 1.5],
  ['a', 'a'],
])('the number in %j', (text, number) => {
  expect(numberIn(text)).toBe(number);
});
