import { expect, it } from 'vitest';
import { counted, EXIT_CODES, examine, fault, inWords, ok, span, warning, worst } from '../../../lib/doctor/finding.ts';

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

it('the worst of the findings counts, and is the exit code', () => {
  const [good, late, broken] = [ok('a', ''), warning('b', '', ''), fault('c', '', '')];
  const lists = [[], [good], [late, good], [good, broken, late]];
  expect(lists.map(worst)).toEqual(['ok', 'ok', 'warning', 'fault']);
  expect(EXIT_CODES).toEqual({ ok: 0, warning: 1, fault: 2 });
});

it('a check that fails is a fault with advice, and any other finds one thing or several', async () => {
  const found = [ok('a', 'x'), ok('b', 'y')];
  expect(await examine('all', async () => found, 'Look.')).toEqual(found);
  expect(await examine('all', async () => ok('a', 'x'), 'Look.')).toEqual([ok('a', 'x')]);
  const failing = async () => {
    throw new Error('denied');
  };
  expect(await examine('all', failing, 'Look.')).toEqual([fault('all', 'could not be looked at: denied', 'Look.')]);
});

it('things are counted in words, and what is no error reads as it is', () => {
  expect([counted(0, 'job'), counted(1, 'job'), counted(2, 'job')]).toEqual(['0 jobs', '1 job', '2 jobs']);
  expect(inWords('gone')).toBe('gone');
});
