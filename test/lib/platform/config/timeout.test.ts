import { expect, it } from 'vitest';
import { timeoutMs, timeoutText } from '../../../../lib/platform/config/timeout.ts';

it('converts a timeout to milliseconds', () => {
  expect(timeoutMs(2, 'milliseconds')).toBe(2);
  expect(timeoutMs(2, 'seconds')).toBe(2_000);
  expect(timeoutMs(2, 'minutes')).toBe(120_000);
  expect(timeoutMs(undefined, 'minutes')).toBeUndefined();
});

it('writes a timeout in the singular and the plural', () => {
  expect(timeoutText(1, 'seconds')).toBe('1 second');
  expect(timeoutText(90, 'minutes')).toBe('90 minutes');
});
