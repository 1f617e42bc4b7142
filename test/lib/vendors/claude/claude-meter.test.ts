import { expect, test } from 'vitest';
import { claudeOutput } from '../../../../lib/vendors/claude/claude-output.ts';
import { meterOf, usage } from '../session-meter.ts';

const totals = (input: number, output: number, cost: number) => ({
  type: 'cost-state',
  totalCostUSD: cost,
  modelUsage: { opus: { inputTokens: input, outputTokens: output } },
});

test('the totals of earlier attempts are taken off, and never below 0', () => {
  const billed = [totals(1, 1, 0.1), { type: 'user' }, totals(100, 10, 0.5)];
  const meter = meterOf(claudeOutput, { billed, own: [totals(150, 15, 0.75)] });
  expect(meter?.usage(usage(150, 15, 0.75))).toEqual(usage(50, 5, 0.25));
  expect(meter?.usage(usage(50, 15, 0.25))).toEqual(usage(0, 5, 0));
  expect(meterOf(claudeOutput, { billed })?.usage(undefined)).toBeUndefined();
});

test('an attempt that was asked to end has the totals that its session got', () => {
  const parts = { billed: [totals(100, 10, 0.5)], unbilled: [totals(120, 12, 0.625)], own: [totals(150, 15, 0.75)] };
  expect(meterOf(claudeOutput, parts)?.usage(undefined)).toEqual(usage(50, 5, 0.25));
  // It was killed: what it used is not known, and what the lost one before it used is.
  const killed = meterOf(claudeOutput, parts);
  killed?.reset();
  expect(killed?.usage(undefined)).toEqual(usage(20, 2, 0.125));
});

/** A message of claude, as a line for each of its blocks. */
const message = (id: string, input: number, output: number) =>
  [1, output].map((known) => ({
    type: 'assistant',
    message: {
      id,
      model: 'opus',
      usage: {
        input_tokens: 1,
        cache_read_input_tokens: input - 1,
        cache_creation_input_tokens: 0,
        output_tokens: known,
      },
    },
  }));
const cached = (input: number, output: number, calls: number) => ({
  ...usage(input, output),
  cached_input_tokens: input - calls,
});

test('what one used that was killed is known from its messages', () => {
  const killed = [...message('a', 100, 10), ...message('b', 50, 5)];
  expect(meterOf(claudeOutput, { own: killed })?.usage(undefined)).toEqual(cached(150, 15, 2));
  const before = [...message('1', 70, 7), totals(70, 7, 0.5)];
  expect(meterOf(claudeOutput, { billed: before, own: killed })?.usage(undefined)).toEqual(cached(150, 15, 2));
  // It was lost. Its successor begins with the totals before it.
  const own = [...message('c', 30, 3), totals(100, 10, 0.625)];
  expect(meterOf(claudeOutput, { billed: before, unbilled: killed, own })?.usage(usage(100, 10, 0.625))).toEqual({
    ...cached(180, 18, 2),
    cached_input_tokens: 148,
    cost_usd: 0.125,
  });
  expect(meterOf(claudeOutput, { billed: [...before, ...killed], own })?.usage(usage(100, 10, 0.625))).toEqual(
    usage(30, 3, 0.125),
  );
});

test('messages that totals or its output count are not counted once more, nor those of another file', () => {
  const own = [...message('a', 100, 10), totals(100, 10, 0.5), ...message('b', 50, 5)];
  const withCost = { ...usage(150, 15, 0.5), cached_input_tokens: 49 };
  expect(meterOf(claudeOutput, { own })?.usage(undefined)).toEqual(withCost);
  expect(meterOf(claudeOutput, { unbilled: own })?.usage(undefined)).toEqual(withCost);
  expect(meterOf(claudeOutput, { own })?.usage(usage(150, 15, 0.75))).toEqual(usage(150, 15, 0.75));
  const replaced = meterOf(claudeOutput, { own });
  replaced?.reset();
  expect(replaced?.usage(undefined)).toBeUndefined();
});

test('without totals of earlier attempts its own are the usage', () => {
  const own = [totals(150, 15, 0.75)];
  expect(meterOf(claudeOutput, { own })?.usage(usage(150, 15, 0.75))).toEqual(usage(150, 15, 0.75));
});
