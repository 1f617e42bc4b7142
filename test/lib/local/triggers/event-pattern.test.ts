import { expect, it } from 'vitest';
import { matchesAny } from '../../../../lib/local/triggers/event-pattern.ts';
import type { EventPattern } from '../../../../lib/stats/counting/stream-filter.ts';

it.each<[EventPattern, object, boolean]>([
  [{ name: [{ exists: true }], other: [{ exists: true }] }, { name: 'a', other: 'b' }, true],
  [{ name: [{ exists: true }], other: [{ exists: true }] }, { name: 'a' }, false],
  [{ inner: { name: [{ exists: true }] } }, { inner: { name: 'a' } }, true],
  [{ inner: { name: [{ exists: true }] } }, { inner: null }, false],
  [{ inner: { name: [{ exists: true }] } }, { inner: 'a' }, false],
  [{ name: [{ exists: true }] }, { name: 'a' }, true],
  [{ name: [{ exists: true }] }, {}, false],
  [{ name: [{ exists: false }] }, {}, true],
  [{ inner: { name: [{ exists: false }] } }, {}, true],
  [{ name: [{ exists: false }] }, { name: 'a' }, false],
  [{ name: [{ 'anything-but': ['a'] }] }, { name: 'b' }, true],
  [{ name: [{ 'anything-but': ['a'] }] }, { name: 'a' }, false],
  // Lambda's anything-but matches no event that lacks the leaf, and none whose leaf is no text.
  [{ name: [{ 'anything-but': ['a'] }] }, {}, false],
  [{ name: [{ 'anything-but': ['a'] }] }, { name: 7 }, false],
])('%o passes %o on: %s', (pattern, event, isPassed) => {
  expect(matchesAny([pattern], event)).toBe(isPassed);
  expect(matchesAny([{ none: [{ exists: true }] }, pattern], event)).toBe(isPassed);
});

it('without patterns nothing is passed on', () => {
  expect(matchesAny([], {})).toBe(false);
});
