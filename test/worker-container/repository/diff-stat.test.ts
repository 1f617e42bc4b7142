import { expect, test } from 'vitest';
import { layOutStat } from '../../../worker-container/repository/diff-stat.ts';

test('long names are cut at their beginning, and the columns are aligned', () => {
  const [long, wide] = ['x'.repeat(200), `${'d/'.repeat(40)}日本`];
  const stat = ` a | b${' '.repeat(195)} |   1 +\n ${long} | 501 ++--\n ${wide}   | Bin 0 -> 9 bytes\n 3 files changed\n`;
  expect(layOutStat(stat)).toBe(
    [
      ` ${'a | b'.padEnd(60)} |   1 +`,
      ` ...${'x'.repeat(57)} | 501 ++--`,
      ` ...${'/d'.repeat(27)}/日本 | Bin 0 -> 9 bytes`,
      ' 3 files changed',
      '',
    ].join('\n'),
  );
  expect(layOutStat('')).toBe('');
});
