import { expect, it } from 'vitest';
import { ago, fields, table } from '../../../../lib/cli/base/table.ts';

it('a table aligns its columns as a terminal shows them, below a heading', () => {
  const rows = [
    ['a', 'one', null],
    ['😀😀😀', 'two', 7],
  ];
  expect(table(['ID', 'NAME', 'N'], rows)).toBe('ID      NAME  N\na       one   -\n😀😀😀  two   7');
  const second = (first: string) =>
    table(
      ['ID', 'N'],
      [
        [first, 1],
        ['x'.repeat(12), 2],
      ],
    ).split('\n')[1];
  for (const [first, width] of [
    ['プロジェクト', 12],
    ['ﾌﾟﾛ', 3],
    ['Ｆull', 5],
    ['é\u0301', 1],
    ['한국', 4],
    ['👨‍👩‍👧', 2],
    ['a\u200bb', 2],
  ] as const)
    expect(second(first)).toBe(`${first}${' '.repeat(14 - width)}1`);
  expect(table(['ID', 'NAME'], [['a', '']])).toBe('ID  NAME\na');
});

it('a cell is one line of at most 60 columns that controls no terminal', () => {
  const cell = (text: string) => table(['H'], [[text]]).split('\n')[1];
  expect(cell('😀'.repeat(30))).toBe('😀'.repeat(30));
  expect(cell('😀'.repeat(31))).toBe(`${'😀'.repeat(29)}…`);
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
