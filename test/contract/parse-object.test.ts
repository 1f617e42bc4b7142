import { expect, it } from 'vitest';
import * as z from 'zod';
import { parseObject } from '../../lib/contract/input/parse-object.ts';
import { LIMITS } from '../../lib/contract/limits.ts';

const schema = z.object({
  numbers: z.array(z.number()).optional(),
  names: z.record(z.string(), z.string()).optional(),
});

it('an error lists a limited number of faults, and counts all of them', () => {
  const numbers = Array.from({ length: LIMITS.faults + 10 }, () => 'none');
  expect(() => parseObject(schema, 'body', { numbers })).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: expect.stringContaining(`(and ${LIMITS.faults + 9} more: details.faults)`),
      details: { faults: expect.toSatisfy((faults: unknown[]) => faults.length === LIMITS.faults) },
    }),
  );
});

it.for([
  ['a value', { names: { a: '\ud800' } }, 'body.names.a'],
  ['a name', { names: { '\udc00': 'a' } }, 'body.names'],
] as const)('half of a surrogate pair is refused in %s', ([, value, where]) => {
  expect(() => parseObject(schema, 'body', value)).toThrow(`${where}: received half of a surrogate pair`);
});

it('a whole pair is accepted in both', () => {
  expect(parseObject(schema, 'body', { names: { '😀': '😀' } })).toEqual({ names: { '😀': '😀' } });
});
