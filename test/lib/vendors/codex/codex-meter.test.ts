import { expect, test } from 'vitest';
import { codexOutput } from '../../../../lib/vendors/codex/codex-output.ts';
import { meterOf, usage } from '../session-meter.ts';

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

test('the calls of earlier attempts are not counted again', () => {
  const own = [call(500, 5), { type: 'event_msg', payload: { type: 'token_count', info: null } }, call(1, 1)];
  expect(meterOf(codexOutput, { billed: BILLED, own })?.usage(usage(2_501, 26))).toEqual(usage(501, 6));
});

test.for([[], [call(500, 5), total(2_500, 25)]])('calls that were not saved are counted: %j', (own) => {
  expect(meterOf(codexOutput, { billed: BILLED, own })?.usage(usage(3_000, 30))).toEqual(usage(1_000, 10));
  expect(meterOf(codexOutput, { own })?.usage(usage(3_000, 30))).toEqual(usage(3_000, 30));
});

test('the calls of a lost attempt are counted, with the one whose end codex does not know of', () => {
  const unbilled = [call(70, 7), total(2_070, 27), call(30, 3)];
  for (const own of [[], [call(500, 5), total(2_570, 32)]])
    expect(meterOf(codexOutput, { billed: BILLED, unbilled, own })?.usage(usage(2_570, 32))).toEqual(usage(600, 15));
  expect(meterOf(codexOutput, { billed: BILLED, unbilled })?.usage(undefined)).toEqual(usage(100, 10));
});

test('a total that is smaller than the one before is no usage', () => {
  expect(meterOf(codexOutput, { billed: BILLED, own: [call(7, 1)] })?.usage(usage(7, 1))).toEqual(usage(7, 1));
  expect(meterOf(codexOutput, { billed: BILLED })?.usage(usage(7, 1))).toEqual(usage(0, 0));
});

test('a call that no output reports is counted, and not again when another file takes the place', () => {
  const meter = meterOf(codexOutput, { billed: BILLED, own: [call(7, 1)] });
  expect(meter?.usage(undefined)).toEqual(usage(7, 1));
  meter?.reset();
  expect(meter?.usage(undefined)).toBeUndefined();
  meter?.push(Buffer.from(`${JSON.stringify(call(7, 1))}\n`), 'own');
  expect(meter?.usage(usage(2_007, 21))).toEqual(usage(7, 1));
});
