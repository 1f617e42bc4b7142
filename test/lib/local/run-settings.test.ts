import { expect, it } from 'vitest';
import { readPort, readRunSettings, SettingError, throttlingOf } from '../../../lib/local/run-settings.ts';

/** What each variable may be at least and at most, and a value between that is not allowed, if there is one. */
it.each<[string, number, number, string?]>([
  ['PROMPTQ_SIGN_IN_PORT', 1, 65_535, '80.5'],
  ['PROMPTQ_WATCH_SECONDS', 0.1, 3_600],
  ['PROMPTQ_SWEEP_SECONDS', 0.1, 86_400],
  ['PROMPTQ_THROTTLE_RATE', 0.01, 1_000_000],
  ['PROMPTQ_THROTTLE_BURST', 1, 1_000_000, '2.5'],
  ['PROMPTQ_LAMBDA_CONCURRENCY', 1, 1_000_000, '2.5'],
])('%s is from %d to %d', (variable, least, most, between) => {
  const read = (value: string) =>
    Object.values(readRunSettings({ [variable]: value })).find((one) => one !== undefined);
  expect([read(String(least)), read(String(most)), read('')]).toEqual([least, most, undefined]);
  for (const wrong of [String(least / 2), String(most + 1), 'many', ' ', ...(between === undefined ? [] : [between])])
    expect(() => read(wrong), wrong).toThrow(`${variable} is ${JSON.stringify(wrong)}; it must be`);
});

it('the port is 8787 unless it is set, and may be any', () => {
  expect([undefined, '', '0', '1', '65535', '08080'].map(readPort)).toEqual([8_787, 8_787, 0, 1, 65_535, 8_080]);
  for (const wrong of ['65536', '-1', '80.5', '1e3', ' 80', '000080', 'http'])
    expect(() => readPort(wrong), wrong).toThrow(SettingError);
});

it('a stage is throttled if its rate is set, with twice as many requests at once unless that is set too', () => {
  const throttling = (rate: string, burst: string) =>
    throttlingOf(readRunSettings({ PROMPTQ_THROTTLE_RATE: rate, PROMPTQ_THROTTLE_BURST: burst }));
  expect(throttling('', '5')).toBeUndefined();
  expect(throttling('1.2', '')).toEqual({ rate: 1.2, burst: 3 });
  expect(throttling('1.2', '5')).toEqual({ rate: 1.2, burst: 5 });
});
