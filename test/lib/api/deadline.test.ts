import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { beforeDeadline } from '../../../lib/api/deadline.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What becomes of work, as of now. */
function watch(work: Promise<unknown>) {
  let state: unknown = 'in progress';
  work.then(
    (result) => {
      state = result;
    },
    ({ code, message }) => {
      state = code ?? message;
    },
  );
  return async (milliseconds: number) => {
    await vi.advanceTimersByTimeAsync(milliseconds);
    return state;
  };
}

it('work that is not done half a second before the function is ended has timed out', async () => {
  const after = watch(beforeDeadline(new Promise(() => undefined), 3_000));
  expect([await after(2_499), await after(1)]).toEqual(['in progress', 'timed_out']);
  const late = watch(beforeDeadline(new Promise(() => undefined), 100));
  expect(await late(1)).toBe('timed_out');
});

it('work that is done in time gives its result or error, and leaves no timer', async () => {
  expect(await watch(beforeDeadline(Promise.resolve('done'), 3_000))(0)).toBe('done');
  expect(await watch(beforeDeadline(Promise.reject(new Error('failed')), 3_000))(0)).toBe('failed');
  expect(vi.getTimerCount()).toBe(0);
});
