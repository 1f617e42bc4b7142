import { expect, it } from 'vitest';
import { ago, fields, table } from '../../../../lib/cli/base/table.ts';

it('a table aligns its columns by characters, below a heading', () => {
  const rows = [
    ['a', 'one', null],
    ['😀😀😀', 'two', 7],
  ];
  expect(table(['ID', 'NAME', 'N'], rows)).toBe('ID   NAME  N\na    one   -\n😀😀😀  two   7');
  expect(table(['ID', 'NAME'], [['a', '']])).toBe('ID  NAME\na');
});

it('a cell is one line of at most 60 characters that controls no terminal', () => {
  const cell = (text: string) => table(['H'], [[text]]).split('\n')[1];
  expect(cell('😀'.repeat(60))).toBe('😀'.repeat(60));
  expect(cell('😀'.repeat(61))).toBe(`${'😀'.repeat(59)}…`);
  expect(cell(' a\r\n\tb  c ')).toBe('a b c');
  expect(cell('a\u001b[31mb')).toBe('a␛[31mb');
});

it('fields are aligned by the longest name that has a value', () => {
  const entries = [
    ['id', 'job_1'],
    ['title', 'a\nb\u001b'],
    ['attempt', 0],
    ['a very long name', undefined],
    ['another long name', null],
    ['an empty one', ''],
  ] as const;
  expect(fields(entries)).toBe('id       job_1\ntitle    a b␛\nattempt  0');
});

it.for([
  [-5, '0s'],
  [59.4, '59s'],
  [59.5, '1m'],
  [3_599, '59m'],
  [3_600, '1h'],
  [86_399, '23h'],
  [86_400, '1d'],
  [200_000, '2d'],
] as const)('%d seconds ago is %s', ([seconds, text]) => {
  const now = Date.parse('2026-11-23T12:00:00.000Z');
  expect(ago(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
});
