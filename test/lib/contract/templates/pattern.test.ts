import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { matchesPattern, PatternError, patternFault } from '../../../../lib/contract/templates/pattern.ts';
import { amount } from '../../../vitest/amount.ts';

/** Patterns that both JavaScript and the matcher take, over few letters, so that many values match. */
const { pattern: anyPattern } = fc.letrec<{ pattern: string; atom: string; repeated: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'a',
      'b',
      '-',
      '.',
      '\\d',
      '\\w',
      '\\S',
      '\\.',
      '\\$',
      '[ab]',
      '[^a]',
      '[a-c1-]',
      '[\\d.]',
      'é',
      '😀',
    ),
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
  repeated: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,2}', '{1,}'))
    .map((parts) => parts.join('')),
  pattern: fc
    .array(
      fc.array(tie('repeated'), { maxLength: 3 }).map((parts) => parts.join('')),
      { minLength: 1, maxLength: 2 },
    )
    .map((choices) => choices.join('|')),
}));

const value = fc
  .array(fc.constantFrom('a', 'b', 'c', '1', '-', '.', '$', ' ', 'é', '😀', '\n'), { maxLength: 6 })
  .map((all) => all.join(''));

it('matches what a regular expression of JavaScript matches', () => {
  fc.assert(
    fc.property(anyPattern, value, (pattern, text) => {
      fc.pre(pattern.length <= LIMITS.templates.patternLength && patternFault(pattern) === undefined);
      expect(matchesPattern(pattern, text)).toBe(new RegExp(`^(?:${pattern})$`, 'u').test(text));
    }),
    { numRuns: amount(1_000, 50_000) },
  );
});

it.each([
  ['^[a-z]+$', 'abc', true],
  ['a\\$', 'a$', true],
  ['v?\\d+(\\.\\d+){0,2}', 'v1.22.3', true],
  ['v?\\d+(\\.\\d+){0,2}', '1.2.3.4', false],
  ['', '', true],
])('%s of %s: %s', (pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected);
});

it.each(['(a+)+b', '(a|a)*b', '(a|aa)+b', '(.*)*(.*)*(.*)*b', '((a*)*)*b', 'a{0,100}a{100}b', '(a?){150}b'])(
  'takes steps in proportion to the length of the value: %s',
  (pattern) => {
    // A backtracking matcher takes longer than any run of these tests.
    expect(matchesPattern(pattern, 'a'.repeat(LIMITS.templates.stringLength))).toBe(false);
  },
);

it.each([
  ['(?=a)b', /group/],
  ['(?<n>a)', /group/],
  ['(a)\\1', /unknown \\1/],
  ['\\bword', /unknown \\b/],
  ['a*?', /after a repetition/],
  ['a**', /after a repetition/],
  ['(a', /not closed/],
  ['a)', /unexpected \)/],
  ['[a', /too early/],
  ['[z-a]', /range/],
  ['[\\D]', /brackets/],
  ['a{3,2}', /repetition/],
  ['a{99999}', /repetition/],
  ['((a{30}){30}){30}', /more than 500 steps/],
  ['*a', /unexpected \*/],
  ['a^b', /unexpected \^/],
])('refuses %s', (pattern, fault) => {
  expect(patternFault(pattern)).toMatch(fault);
  expect(() => matchesPattern(pattern, 'a')).toThrow(PatternError);
});
