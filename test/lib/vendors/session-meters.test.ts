import { expect, test } from 'vitest';
import { claudeOutput } from '../../../lib/vendors/claude/claude-output.ts';
import { codexOutput } from '../../../lib/vendors/codex/codex-output.ts';
import type { AgentOutput, SessionPart } from '../../../lib/vendors/output/agent-output.ts';

/** A meter that has read a session, of which it gets each part cut in the middle of a line. */
function meterOf(agent: AgentOutput, parts: Partial<Record<SessionPart, readonly object[]>>) {
  const meter = agent.createMeter?.();
  for (const part of ['billed', 'unbilled', 'own'] as const) {
    const text = Buffer.from((parts[part] ?? []).map((line) => `${JSON.stringify(line)}\n`).join(''));
    meter?.push(text.subarray(0, 10), part);
    meter?.push(text.subarray(10), part);
  }
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

/** The total that codex writes a while after a call, and from which it counts on when it resumes. */
const total = (input: number, output: number) => ({
  type: 'event_msg',
  payload: { type: 'token_count', info: { total_token_usage: { ...usage(input, output), total_tokens: 1 } } },
});
const BILLED = [call(1_000, 10), total(1_000, 10), call(1_000, 10), total(2_000, 20)];

test('codex: the calls of earlier attempts are not counted again', () => {
  const own = [call(500, 5), { type: 'event_msg', payload: { type: 'token_count', info: null } }, call(1, 1)];
  expect(meterOf(codexOutput, { billed: BILLED, own })?.usage(usage(2_501, 26))).toEqual(usage(501, 6));
});

test.for([[], [call(500, 5), total(2_500, 25)]])('codex: calls that were not saved are counted: %j', (own) => {
  expect(meterOf(codexOutput, { billed: BILLED, own })?.usage(usage(3_000, 30))).toEqual(usage(1_000, 10));
  expect(meterOf(codexOutput, { own })?.usage(usage(3_000, 30))).toEqual(usage(3_000, 30));
});

test('codex: the calls of a lost attempt are counted, with the one whose end codex does not know of', () => {
  const unbilled = [call(70, 7), total(2_070, 27), call(30, 3)];
  for (const own of [[], [call(500, 5), total(2_570, 32)]])
    expect(meterOf(codexOutput, { billed: BILLED, unbilled, own })?.usage(usage(2_570, 32))).toEqual(usage(600, 15));
  expect(meterOf(codexOutput, { billed: BILLED, unbilled })?.usage(undefined)).toEqual(usage(100, 10));
});

test('codex: a total that is smaller than the one before is no usage', () => {
  expect(meterOf(codexOutput, { billed: BILLED, own: [call(7, 1)] })?.usage(usage(7, 1))).toEqual(usage(7, 1));
  expect(meterOf(codexOutput, { billed: BILLED })?.usage(usage(7, 1))).toEqual(usage(0, 0));
});

test('codex: a session without records of calls leaves what the output reports', () => {
  expect(meterOf(codexOutput, { own: [{ type: 'session_meta' }] })?.usage(usage(7, 1))).toEqual(usage(7, 1));
});

test('codex: a call that no output reports is counted, and not again when another file takes the place', () => {
  const meter = meterOf(codexOutput, { billed: BILLED, own: [call(7, 1)] });
  expect(meter?.usage(undefined)).toEqual(usage(7, 1));
  meter?.reset();
  expect(meter?.usage(undefined)).toBeUndefined();
  meter?.push(Buffer.from(`${JSON.stringify(call(7, 1))}\n`), 'own');
  expect(meter?.usage(usage(2_007, 21))).toEqual(usage(7, 1));
});

const totals = (input: number, output: number, cost: number) => ({
  type: 'cost-state',
  totalCostUSD: cost,
  modelUsage: { opus: { inputTokens: input, outputTokens: output } },
});

test('claude: the totals of earlier attempts are taken off, and never below 0', () => {
  const billed = [totals(1, 1, 0.1), { type: 'user' }, totals(100, 10, 0.5)];
  const meter = meterOf(claudeOutput, { billed, own: [totals(150, 15, 0.75)] });
  expect(meter?.usage(usage(150, 15, 0.75))).toEqual(usage(50, 5, 0.25));
  expect(meter?.usage(usage(50, 15, 0.25))).toEqual(usage(0, 5, 0));
  expect(meterOf(claudeOutput, { billed })?.usage(undefined)).toBeUndefined();
});

test('claude: an attempt that was asked to end has the totals that its session got', () => {
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

test('claude: what one used that was killed is known from its messages', () => {
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

test('claude: of any number of messages each counts once, and few are kept apart', () => {
  const many = Array.from({ length: 2_000 }, (_, at) => message(`m${at}`, 10, 2)).flat();
  expect(meterOf(claudeOutput, { own: many })?.usage(undefined)).toEqual(cached(20_000, 4_000, 2_000));
  // One that comes again after 500 others is no longer known.
  expect(meterOf(claudeOutput, { own: [...many, ...message('m0', 10, 2)] })?.usage(undefined)?.output_tokens).toBe(
    4_002,
  );
  const forged = [...message('x'.repeat(101), 10, 2), ...message('y', 10, 0.5), ...message('a', 10, 2)];
  expect(meterOf(claudeOutput, { own: forged })?.usage(undefined)?.output_tokens).toBe(3);
});

test('claude: messages that totals or its output count are not counted once more, nor those of another file', () => {
  const own = [...message('a', 100, 10), totals(100, 10, 0.5), ...message('b', 50, 5)];
  const withCost = { ...usage(150, 15, 0.5), cached_input_tokens: 49 };
  expect(meterOf(claudeOutput, { own })?.usage(undefined)).toEqual(withCost);
  expect(meterOf(claudeOutput, { unbilled: own })?.usage(undefined)).toEqual(withCost);
  expect(meterOf(claudeOutput, { own })?.usage(usage(150, 15, 0.75))).toEqual(usage(150, 15, 0.75));
  const replaced = meterOf(claudeOutput, { own });
  replaced?.reset();
  expect(replaced?.usage(undefined)).toBeUndefined();
});

test('claude: a message counts once while no more than 499 others came after it', () => {
  const others = (count: number) => Array.from({ length: count }, (_, at) => message(`m${at}`, 10, 2)).flat();
  const again = (count: number) => [...message('a', 10, 2), ...others(count), ...message('a', 10, 2)];
  const outputOf = (count: number) => meterOf(claudeOutput, { own: again(count) })?.usage(undefined)?.output_tokens;
  expect([outputOf(499), outputOf(500)]).toEqual([1_000, 1_004]);
});

test('codex: a record with a number below 0 is none', () => {
  const forged = [call(10, 2), call(-1, 5), total(-1, 0)];
  expect(meterOf(codexOutput, { own: forged })?.usage(undefined)).toEqual(usage(10, 2));
});

test.each([
  ['claude', claudeOutput, message('a', 10, 2)],
  ['codex', codexOutput, [call(10, 2)]],
] as const)('%s: a line of more than a megabyte is no record', (_, output, records) => {
  const long = records.map((record) => ({ ...record, padding: 'x'.repeat(1024 * 1024) }));
  expect(meterOf(output, { own: long })?.usage(undefined)).toBeUndefined();
  expect(meterOf(output, { own: records })?.usage(undefined)).toMatchObject({ input_tokens: 10, output_tokens: 2 });
});

test('claude: without totals of earlier attempts its own are the usage', () => {
  const own = [totals(150, 15, 0.75)];
  expect(meterOf(claudeOutput, { own })?.usage(usage(150, 15, 0.75))).toEqual(usage(150, 15, 0.75));
});
