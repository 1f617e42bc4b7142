import { describe, expect, it } from 'vitest';
import { addUsage, boundedUsage, type Usage } from '../../../lib/contract/usage.ts';

const usage = (tokens: number, cost_usd?: number): Usage => ({
  ...{ input_tokens: tokens, cached_input_tokens: tokens, output_tokens: tokens, reasoning_output_tokens: tokens },
  ...(cost_usd !== undefined && { cost_usd }),
});

describe('a usage', () => {
  it.each<[string, Usage, Usage]>([
    ['as it is', usage(7, 0.5), usage(7, 0.5)],
    ['without a cost', usage(7), usage(7)],
    ['no more than an agent can use', usage(1e15, 1e9), usage(1e12, 1e6)],
    ['nothing below 0, or almost 0', usage(-1, 1e-120), usage(0, 0)],
    ['nothing that is no number', usage(Number.NaN, Number.NaN), usage(0, 0)],
  ])('counts %s', (_what, given, counted) => {
    expect(boundedUsage(given)).toEqual(counted);
    expect(addUsage(given, undefined)).toEqual(counted);
  });

  it.each<[Usage, Usage, Usage]>([
    [usage(1), usage(2), usage(3)],
    [usage(1, 0.5), usage(2), usage(3, 0.5)],
    [usage(1), usage(2, 0.25), usage(3, 0.25)],
    [usage(1, 0.5), usage(2, 0.25), usage(3, 0.75)],
    [usage(9e11, 9e5), usage(9e11, 9e5), usage(1e12, 1e6)],
  ])('is added to another: %o and %o', (one, other, sum) => {
    expect(addUsage(one, other)).toEqual(sum);
  });
});
