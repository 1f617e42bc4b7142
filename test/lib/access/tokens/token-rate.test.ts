import { expect, it } from 'vitest';
import { TokenRate } from '../../../../lib/access/tokens/token-rate.ts';

it('a token may burst two seconds of requests, then continues at its rate', () => {
  let now = 0;
  const rate = new TokenRate(5, () => now);
  const take = (count: number) => Array.from({ length: count }, () => rate.take('ci')).filter((wait) => wait === 0);
  expect(take(20)).toHaveLength(10);
  expect(rate.take('ci')).toBe(1);
  now += 1_000;
  expect(take(20)).toHaveLength(5);
  now += 60_000;
  expect(take(20)).toHaveLength(10);
});

it('without a rate no request waits', () => {
  const rate = new TokenRate(0, () => 0);
  expect(new Set(Array.from({ length: 1_000 }, () => rate.take('a')))).toEqual(new Set([0]));
});

it('a slow rate says how many whole seconds to wait', () => {
  let now = 0;
  const rate = new TokenRate(0.5, () => now);
  expect([rate.take('a'), rate.take('a')]).toEqual([0, 2]);
  now += 1_000;
  expect(rate.take('a')).toBe(1);
  now += 1_000;
  expect(rate.take('a')).toBe(0);
});
