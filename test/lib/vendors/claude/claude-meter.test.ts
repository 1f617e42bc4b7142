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

test('of any number of messages each counts once, and few are kept apart', () => {
  const many = Array.from({ length: 2_000 }, (_, at) => message(`m${at}`, 10, 2)).flat();
  expect(meterOf(claudeOutput, { own: many })?.usage(undefined)).toEqual(cached(20_000, 4_000, 2_000));
  // One that comes again after 500 others is no longer known.
  expect(meterOf(claudeOutput, { own: [...many, ...message('m0', 10, 2)] })?.usage(undefined)?.output_tokens).toBe(
    4_002,
  );
  const forged = [...message('x'.repeat(101), 10, 2), ...message('y', 10, 0.5), ...message('a', 10, 2)];
  expect(meterOf(claudeOutput, { own: forged })?.usage(undefined)?.output_tokens).toBe(3);
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

test('a message counts once while no more than 499 others came after it', () => {
  const others = (count: number) => Array.from({ length: count }, (_, at) => message(`m${at}`, 10, 2)).flat();
  const again = (count: number) => [...message('a', 10, 2), ...others(count), ...message('a', 10, 2)];
  const outputOf = (count: number) => meterOf(claudeOutput, { own: again(count) })?.usage(undefined)?.output_tokens;
  expect([outputOf(499), outputOf(500)]).toEqual([1_000, 1_004]);
});

test('without totals of earlier attempts its own are the usage', () => {
  const own = [totals(150, 15, 0.75)];
  expect(meterOf(claudeOutput, { own })?.usage(usage(150, 15, 0.75))).toEqual(usage(150, 15, 0.75));
});

test('a line of more than a megabyte is no record', () => {
  const records = message('a', 10, 2);
  const long = records.map((record) => ({ ...record, padding: 'x'.repeat(1024 * 1024) }));
  expect(meterOf(claudeOutput, { own: long })?.usage(undefined)).toBeUndefined();
  expect(meterOf(claudeOutput, { own: records })?.usage(undefined)).toMatchObject({
    input_tokens: 10,
    output_tokens: 2,
  });
});
