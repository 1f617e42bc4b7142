import { expect, test } from 'vitest';
import { type Attempt, runOf, waitOf } from '../../../console/src/jobs/status/attempt-times.ts';

/** A time the given number of seconds after the hour. */
const at = (seconds: number) => new Date(Date.UTC(2026, 10, 22, 12, 0, seconds)).toISOString();

function attempt(number: number, started: number | null, finished: number | null): Attempt {
  const [started_at, finished_at] = [started, finished].map((seconds) => (seconds === null ? null : at(seconds)));
  const rest = { status: null, state_reason: null, exit_code: null, signal: null, resumed_from: null };
  return { attempt: number, started_at: started_at ?? null, finished_at: finished_at ?? null, ...rest };
}

test('the first attempt waits from the time of queueing', () => {
  expect(waitOf({ queued_at: at(0), attempts: [attempt(1, 4, 9)] }, 1)).toEqual({ ms: 4_000 });
});

test('after a retry, only the newest attempt has a time of queueing', () => {
  const job = { queued_at: at(20), attempts: [attempt(2, 21, null), attempt(1, 4, 9)] };
  expect(waitOf(job, 2)).toEqual({ ms: 1_000 });
  expect(waitOf(job, 1)).toBeUndefined();
});

test('an attempt that kept its place in the queue waits from the end of the previous attempt', () => {
  const job = { queued_at: at(0), attempts: [attempt(2, 30, 40), attempt(1, 4, 9)] };
  expect(waitOf(job, 1)).toEqual({ ms: 4_000 });
  expect(waitOf(job, 2)).toEqual({ ms: 21_000, sinceAttempt: 1 });
});

test('an attempt without times has no durations', () => {
  const lost = { queued_at: at(0), attempts: [attempt(2, 30, 40), attempt(1, null, null)] };
  expect(waitOf(lost, 1)).toBeUndefined();
  expect(waitOf(lost, 2)).toBeUndefined();
  expect(waitOf({ queued_at: at(0), attempts: null }, 1)).toBeUndefined();
  expect(runOf(attempt(1, null, null))).toBeUndefined();
  expect(runOf(attempt(1, 4, null))).toBeUndefined();
  expect(runOf(attempt(1, 4, 9))).toBe(5_000);
});

test('an attempt that is queued and started in one millisecond waits for nothing', () => {
  const job = { queued_at: at(4), attempts: [attempt(2, 9, 10), attempt(1, 4, 9)] };
  expect(waitOf(job, 1)).toEqual({ ms: 0 });
  expect(waitOf({ ...job, queued_at: at(9) }, 2)).toEqual({ ms: 0 });
});
