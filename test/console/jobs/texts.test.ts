import { expect, test } from 'vitest';
import { lineDiff } from '../../../console/src/form/line-diff.ts';
import { createColourStripper } from '../../../console/src/jobs/text/strip-colours.ts';

const shown = (before: string, after: string) => lineDiff(before, after).map(({ sign, text }) => `${sign}${text}`);

test('a line diff marks unchanged, removed and added lines', () => {
  expect(shown('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d']);
  expect(shown('', 'new')).toEqual(['+new']);
  expect(shown('same', 'same')).toEqual([' same']);
});

test('a text with too many changes is shown as replaced', () => {
  const text = (word: string) => Array.from({ length: 1_000 }, (_, at) => `${word} ${at}`).join('\n');
  const signs = lineDiff(`head\n${text('old')}`, `head\n${text('new')}`).map(({ sign }) => sign);
  expect([...new Set(signs)]).toEqual(['-', '+']);
});

test('text after a sequence that only some terminals know is shown', () => {
  const strip = () => createColourStripper();
  expect(strip()('Build \u001b(B\u001b[mFAILED: 3 errors\n')).toBe('Build FAILED: 3 errors\n');
  expect(strip()('a\u001bcb\u001b#8c')).toBe('abc');
  expect(strip()('a\u001b\u0001b')).toContain('b');
  const cut = strip();
  expect(['a\u001b', '(', 'Bb\u001b]0;ti', 'tle\u001b', '\\c'].map(cut).join('')).toBe('abc');
});

test('colours are removed from a log, even if a piece ends within a sequence', () => {
  const strip = createColourStripper();
  const pieces = ['\u001b[32mok\u001b', '[0m 10%\r20%\r\n', '\u001b]0;title\u0007done', ' \u001b[1;3', '1mred'];
  expect(pieces.map(strip).join('')).toBe('ok 10%\n20%\ndone red');
});
