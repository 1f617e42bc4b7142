import { expect, it } from 'vitest';
import { table } from '../../../../lib/cli/base/table.ts';

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

it('a cell is one line of at most 60 columns without terminal controls', () => {
  const cell = (text: string) => table(['H'], [[text]]).split('\n')[1];
  expect(cell('😀'.repeat(30))).toBe('😀'.repeat(30));
  expect(cell('😀'.repeat(31))).toBe(`${'😀'.repeat(29)}…`);
  expect(cell(' a\r\n\tb  c ')).toBe('a b c');
  expect(cell('a\u001b[31mb')).toBe('a␛[31mb');
});

it('a table fits a narrow terminal: the widest columns are cut, and never the first', () => {
  const rows = [['job_0123456789', 'a project of long name', 'a title that is longer still']];
  expect(table(['ID', 'PROJECT', 'TITLE'], rows, 40)).toBe(
    'ID              PROJECT      TITLE\njob_0123456789  a project …  a title th…',
  );
  for (const width of [80, 60, 50, 40])
    for (const line of table(['ID', 'PROJECT', 'TITLE'], rows, width).split('\n'))
      expect(line.length).toBeLessThanOrEqual(width);
  expect(table(['ID', 'PROJECT', 'TITLE'], rows, 10).split('\n')[1]).toBe('job_0123456789  a proje…  a title…');
});
