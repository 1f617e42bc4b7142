import { expect, it } from 'vitest';
import { inWords, span } from '../../../lib/doctor/finding.ts';

it.each([
  [-400, '0 s'],
  [119_400, '119 s'],
  [120_000, '2 min'],
  [7_199_000, '120 min'],
  [7_200_000, '2 h'],
  [172_799_000, '48 h'],
  [172_800_000, '2 days'],
])('a span of %d ms reads %s', (milliseconds, text) => {
  expect(span(milliseconds)).toBe(text);
});

it('an error reads as one line, with its causes, each once', () => {
  const cause = new Error('connect ECONNREFUSED\n  127.0.0.1:1');
  expect(inWords(new Error('fetch failed', { cause }))).toBe('fetch failed (connect ECONNREFUSED; 127.0.0.1:1)');
  expect(inWords(new Error('failed: no route', { cause: 'no route' }))).toBe('failed: no route');
  expect(inWords(new RangeError(''))).toBe('RangeError');
});
