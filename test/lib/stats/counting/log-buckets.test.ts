import { expect, it } from 'vitest';
import { bucketOf, spreadOf } from '../../../../lib/stats/counting/log-buckets.ts';

function spreadOfValues(values: readonly number[]) {
  const buckets = new Map<number, number>();
  for (const value of values) buckets.set(bucketOf(value), (buckets.get(bucketOf(value)) ?? 0) + 1);
  return spreadOf(buckets);
}

it('the middle and the 95th of a hundred are within 19 % of the truth, from a millisecond to a month', () => {
  for (const scale of [1, 7, 300, 45_000, 2_000_000, 2_500_000_000]) {
    const values = Array.from({ length: 1_000 }, (_, n) => Math.max(1, (scale * (n + 1)) / 1_000));
    const { count, p50, p95 } = spreadOfValues(values);
    expect(count).toBe(1_000);
    for (const [found, truth] of [
      [p50, values[499]],
      [p95, values[949]],
    ] as const)
      expect(Math.abs(Math.log((found ?? 0) / (truth ?? 1)))).toBeLessThanOrEqual(
        scale < 10 ? Math.log(2) : Math.log(1.2),
      );
  }
});

it('an empty set has no median', () => {
  expect(spreadOf(new Map())).toEqual({ count: 0, p50: null, p95: null });
  // What retries have taken back.
  expect(spreadOf(new Map([[3, 0]]))).toEqual({ count: 0, p50: null, p95: null });
});

it('the median of two is the lower, whatever the order of their buckets', () => {
  const buckets = new Map([
    [10, 1],
    [2, 1],
  ]);
  expect(spreadOf(buckets)).toEqual({ count: 2, p50: 2, p95: 38 });
});
