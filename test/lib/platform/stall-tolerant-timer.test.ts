import { afterEach, expect, test, vi } from 'vitest';
import { stallTolerantTimer } from '../../../lib/platform/stall-tolerant-timer.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Whether time is left of 3 s at each check, with so many milliseconds between the checks. */
function looks(...pauses: readonly number[]): boolean[] {
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const hasTimeLeft = stallTolerantTimer(3_000);
  return pauses.map((pause) => {
    now += pause;
    return hasTimeLeft();
  });
}

test('it ends after its time', () => {
  expect(looks(900, 900, 900, 900)).toEqual([true, true, true, false]);
});

test('no time is left at the very end of it', () => {
  expect(looks(1_000, 1_000, 1_000)).toEqual([true, true, false]);
});

test('the time in which the machine was paused is not counted', () => {
  expect(looks(60_000, 900, 900, 900)).toEqual([true, true, true, false]);
});
