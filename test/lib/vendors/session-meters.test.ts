import { expect, test } from 'vitest';
import { claudeOutput } from '../../../lib/vendors/claude/claude-output.ts';
import { codexOutput } from '../../../lib/vendors/codex/codex-output.ts';
import type { AgentOutput } from '../../../lib/vendors/output/agent-output.ts';

function meterOf(agent: AgentOutput, billed: readonly object[], own: readonly object[]) {
  const meter = agent.createMeter?.();
  const text = (lines: readonly object[]) => Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  if (billed.length > 0) meter?.push(text(billed), true);
  // Cut in the middle of a line.
  const all = text(own);
  meter?.push(all.subarray(0, 10), false);
  meter?.push(all.subarray(10), false);
  return meter;
}

function usage(input: number, output: number, cost?: number) {
  return {
    input_tokens: input,
    cached_input_tokens: 0,
    output_tokens: output,
    reasoning_output_tokens: 0,
    ...(cost !== undefined && { cost_usd: cost }),
  };
}

const call = (input: number, output: number) => ({
  type: 'token_usage_record',
  payload: { usage: { ...usage(input, output), total_tokens: input + output } },
});

test('codex: the calls of earlier attempts are not counted again', () => {
  const meter = meterOf(codexOutput, [call(1_000, 10), call(1_000, 10)], [call(500, 5), { type: 'other' }, call(1, 1)]);
  expect(meter?.usage(usage(2_501, 26))).toEqual(usage(501, 6));
});

test('codex: a session without records of calls leaves what the output reports, unless that includes earlier attempts', () => {
  expect(meterOf(codexOutput, [], [{ type: 'session_meta' }])?.usage(usage(7, 1))).toEqual(usage(7, 1));
  expect(meterOf(codexOutput, [call(7, 1)], [{ type: 'x' }])?.usage(usage(7, 1))).toBeUndefined();
});

test('codex: a call that no output reports is counted', () => {
  expect(meterOf(codexOutput, [], [call(7, 1)])?.usage(undefined)).toEqual(usage(7, 1));
});

const totals = (input: number, output: number, cost: number) => ({
  type: 'cost-state',
  totalCostUSD: cost,
  modelUsage: { opus: { inputTokens: input, outputTokens: output } },
});

test('claude: the totals of earlier attempts are taken off, and never below 0', () => {
  const meter = meterOf(
    claudeOutput,
    [totals(1, 1, 0.1), { type: 'user' }, totals(100, 10, 0.5)],
    [totals(150, 15, 0.75)],
  );
  expect(meter?.usage(usage(150, 15, 0.75))).toEqual(usage(50, 5, 0.25));
  expect(meter?.usage(usage(50, 15, 0.25))).toEqual(usage(0, 5, 0));
  expect(meter?.usage(undefined)).toBeUndefined();
});

test('claude: without totals of earlier attempts its own are the usage', () => {
  expect(meterOf(claudeOutput, [], [totals(150, 15, 0.75)])?.usage(usage(150, 15, 0.75))).toEqual(usage(150, 15, 0.75));
});
