import { expect, it } from 'vitest';
import { readRunSettings } from '../../../lib/local/run-settings.ts';

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
