import { expect, test } from 'vitest';
import { FlushTimer } from '../../../worker-container/output/flush-timer.ts';
import { virtualTiming } from './virtual-timing.ts';

test('a stream that never rests is flushed after a second, then at intervals that grow to a minute', () => {
  const { timer, timing, flushes } = timerOn({ everPending: true });
  timer.arm();
  timing.advance(300_000);
  expect(flushes).toEqual([1, 3, 7, 15, 31, 63, 123, 183, 243]);
});

test('ten minutes of output cost few flushes', () => {
  const { timer, timing, flushes } = timerOn({ everPending: true });
  timer.arm();
  timing.advance(600_000);
  expect(flushes.length).toBeLessThan(16);
});

test('a watched stream is flushed a second after each new byte', () => {
  const { timer, timing, flushes } = timerOn({ everPending: true });
  timer.arm();
  timing.advance(100_000);
  timer.setWatched(true);
  expect(flushes.at(-1)).toBe(100);
  flushes.length = 0;
  timing.advance(3_500);
  expect(flushes).toEqual([101, 102, 103]);
});

test('a stream returns to its interval after its live view ends', () => {
  const { timer, timing, flushes } = timerOn({ everPending: true });
  timer.setWatched(true);
  timer.arm();
  timing.advance(10_000);
  timer.setWatched(false);
  flushes.length = 0;
  timing.advance(20_000);
  expect(flushes).toEqual([11, 13, 17, 25]);
});

test('after a long silence the next byte waits a second, not a minute', () => {
  const { timer, timing, flushes } = timerOn({ everPending: false });
  for (let i = 0; i < 8; i++) {
    timer.arm();
    timing.advance(60_000);
  }
  flushes.length = 0;
  timing.advance(600_000);
  timer.arm();
  timing.advance(2_000);
  expect(flushes).toEqual([1_081]);
});

test('nothing is scheduled while nothing is pending', () => {
  const { timer, timing, flushes } = timerOn({ everPending: false });
  expect(timing.scheduled()).toBe(0);
  timer.arm();
  timer.arm();
  expect(timing.scheduled()).toBe(1);
  timing.advance(1_000);
  expect(timing.scheduled()).toBe(0);
  flushes.length = 0;
  timer.setWatched(true);
  expect(timing.scheduled()).toBe(0);
  expect(flushes).toEqual([]);
});

test('a flush that begins early, or is over early, leaves no timer behind', () => {
  const timing = virtualTiming();
  const flushes: number[] = [];
  const timer = new FlushTimer(() => flushes.push(timing.now()), timing);
  timer.arm();
  timer.setWatched(true);
  expect([flushes, timing.scheduled()]).toEqual([[0], 0]);
  timer.arm();
  timer.flushed();
  expect([flushes, timing.scheduled()]).toEqual([[0], 0]);
});

/** A timer whose flushes, in seconds, are noted and succeed at once. */
function timerOn({ everPending }: { everPending: boolean }) {
  const timing = virtualTiming();
  const flushes: number[] = [];
  const timer = new FlushTimer(() => {
    flushes.push(timing.now() / 1_000);
    timer.flushed();
    if (everPending) timer.arm();
  }, timing);
  return { timer, timing, flushes };
}
