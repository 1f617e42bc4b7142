import type { Spread } from '../../contract/schemas/stats.ts';

/** Buckets of a histogram of milliseconds that can be added up: each is √2 times as wide as the one before. */
const PER_DOUBLING = 2;

/** The bucket of a duration in milliseconds. */
export function bucketOf(milliseconds: number): number {
  return milliseconds < 1 ? 0 : Math.floor(PER_DOUBLING * Math.log2(milliseconds));
}

/** The count, median and 95th percentile; a bucket counts as its midpoint. */
export function spreadOf(buckets: ReadonlyMap<number, number>): Spread {
  const filled = [...buckets].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const count = filled.reduce((sum, [, in_]) => sum + in_, 0);
  const at = (share: number) => {
    let left = Math.ceil(count * share);
    for (const [bucket, inBucket] of filled) {
      left -= inBucket;
      if (left <= 0) return Math.round(2 ** ((bucket + 0.5) / PER_DOUBLING));
    }
    return null;
  };
  return { count, p50: at(0.5), p95: at(0.95) };
}
