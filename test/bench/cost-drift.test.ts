import { describe, expect, test } from 'vitest';
import { driftedLines } from '../../bench/cost/cost-drift.ts';

const KEPT = `# What it costs: $1.96 a month

| logs | GB-month of log | 0.128 | $0.004 |
| worker | 1,000 | $1,000.50 |
| heartbeat | 1 | 0 |
`;

const moved = (from: string, to: string) => driftedLines(KEPT, KEPT.replace(from, to));

describe('the check of the cost document', () => {
  test.each([
    ['nothing', '$1.96', '$1.96'],
    ['an amount by one cent', '$1.96', '$1.97'],
    ['an amount by less than a cent, and the quantity that it follows from', '0.128 | $0.004', '0.17 | $0.005'],
    ['a large amount by one cent', '$1,000.50', '$1,000.49'],
  ])('accepts that %s moved', (_, from, to) => {
    expect(moved(from, to)).toEqual([]);
  });

  test.each([
    ['an amount by more than a cent', '$1.96', '$1.98', '# What it costs: $1.98 a month'],
    ['a large amount by ten dollars', '$1,000.50', '$1,010.50', '| worker | 1,000 | $1,010.50 |'],
    ['a count on a line without an amount', '| 1 | 0 |', '| 2 | 0 |', '| heartbeat | 2 | 0 |'],
    ['a word', 'GB-month of log', 'GB', '| logs | GB | 0.128 | $0.004 |'],
    ['a number into an amount', 'worker | 1,000', 'worker | $1,000', '| worker | $1,000 | $1,000.50 |'],
  ])('reports that %s moved', (_, from, to, line) => {
    expect(moved(from, to)).toEqual([line]);
  });

  test('reports lines that were added or removed', () => {
    expect(driftedLines(KEPT, `${KEPT}one more`)).toHaveLength(1);
    expect(driftedLines(`${KEPT}one more`, KEPT)).toHaveLength(1);
  });
});
