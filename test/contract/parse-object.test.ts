import { expect, it } from 'vitest';
import * as z from 'zod';
import { parseObject, rejectUnknown } from '../../lib/contract/input/parse-object.ts';
import { rejectUnsound } from '../../lib/contract/input/reject-unsound.ts';
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

it('an error stays small, however many or long the unknown members are', () => {
  const short = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`u${at}`, 1]));
  const long = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${at}`.padEnd(30_000, '\u202e'), 1]));
  for (const body of [short, long, { names: 'x'.repeat(1_000_000) }, { numbers: ['x'.repeat(1_000_000)] }])
    expect(JSON.stringify(refusalOf(body)).length).toBeLessThan(20_000);
  expect(refusalOf(short)).toMatchObject({
    message: expect.stringContaining('"u9" and 199990 more; allowed: numbers'),
  });
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

/** The error's sentence and details for a body. */
function refusalOf(value: Record<string, unknown>, options?: Parameters<typeof parseObject>[3]): unknown {
  try {
    return parseObject(schema, 'body', value, options);
  } catch (error) {
    const { message, details } = error as { message: string; details?: object };
    return { message, details };
  }
}

it('one fault is said alone, and several are listed, unknown members first', () => {
  const wrong = 'body.numbers[0]: received "a" (string); expected number';
  expect(refusalOf({ numbers: ['a'] })).toEqual({ message: wrong });
  const unknown = 'body: unknown "extra"; allowed: numbers, names';
  expect(refusalOf({ extra: 1 })).toEqual({ message: unknown, details: { unknown: ['extra'] } });
  expect(refusalOf({ extra: 1, numbers: ['a'] })).toEqual({
    message: `${unknown} (and 1 more: details.faults)`,
    details: { unknown: ['extra'], faults: [unknown, wrong] },
  });
});

it('null is as good as absent, and members that the schema is to judge are left to it', () => {
  expect(refusalOf({ numbers: null, names: { a: 'b' } })).toEqual({ names: { a: 'b' } });
  expect(refusalOf({ extra: 1 }, { unknown: 'ignore' })).toEqual({});
});

it('where nothing is allowed, an unknown member is said so', () => {
  expect(() => rejectUnknown([], 'query', { a: '1' })).toThrow('query: unknown "a"; none is allowed');
  expect(() => rejectUnknown(['a', 'b'], 'query', { c: '1' })).toThrow('query: unknown "c"; allowed: a, b');
  expect(() => rejectUnknown(['a'], 'query', { a: '1' })).not.toThrow();
});

it('64 levels of nesting are allowed', () => {
  const nested = (levels: number): Record<string, unknown> => (levels === 0 ? {} : { a: nested(levels - 1) });
  // The value that is nested is a level as well.
  expect(() => rejectUnsound('body', nested(63))).not.toThrow();
  expect(() => rejectUnsound('body', nested(64))).toThrow(/^body(\.a){64}: nested too deep; 64 levels are allowed$/);
});

it('a member named __proto__ is refused where schemas drop it silently', () => {
  const inner: unknown = JSON.parse('{"names":{"__proto__":"a"}}');
  expect(() => rejectUnsound('body', inner)).toThrow('body.names: __proto__ is not an allowed name');
  expect(() => rejectUnsound('body', JSON.parse('{"__proto__":"a"}'))).not.toThrow();
  expect(() => rejectUnsound('body', null)).not.toThrow();
});
