import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TableClock } from '../../../../lib/platform/aws/table-clock.ts';

/** A machine whose clock is off by `skew`, and a table whose answers take some time on both ways. */
function world(skew: number, start: number) {
  let elapsed = 0;
  const clock = new TableClock({ wall: () => start + skew + elapsed, monotonic: () => elapsed });
  return {
    clock,
    truth: () => start + elapsed,
    pass: (milliseconds: number) => {
      elapsed += milliseconds;
    },
    answer(there: number, back: number) {
      const sentAt = elapsed;
      elapsed += there;
      const header = new Date(Math.floor((start + elapsed) / 1000) * 1000).toUTCString();
      elapsed += back;
      clock.observe(header, sentAt);
    },
  };
}

it('a correct clock is never adjusted', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000 }), fc.array(fc.nat(3_000), { maxLength: 20 }), (start, pauses) => {
      const { clock, truth, pass, answer } = world(0, 1_800_000_000_000 + start);
      for (const pause of pauses) {
        pass(pause);
        answer(5, 5);
      }
      expect(clock.now()).toBe(truth());
    }),
  );
});

it("a clock that is wrong by seconds or minutes is within a second of the table's after one response", () => {
  const skew = fc.oneof(fc.integer({ min: -600_000, max: 600_000 }), fc.integer({ min: -10_000, max: 10_000 }));
  fc.assert(
    fc.property(skew, fc.nat(10_000), fc.nat(200), (wrong, start, latency) => {
      const { clock, truth, answer } = world(wrong, 1_800_000_000_000 + start);
      answer(latency, latency);
      expect(Math.abs(clock.now() - truth())).toBeLessThanOrEqual(1_000 + 2 * latency);
    }),
  );
});

it('the time of an answer is moved no further than it must be', () => {
  const START = 1_800_000_000_000;
  const afterAnswer = (skew: number, there: number) => {
    const { clock, answer } = world(skew, START);
    answer(there, 0);
    return clock.now() - START;
  };
  // The answer was made within the second that its date names, so the request was sent before the end of that second.
  expect([afterAnswer(-5_000, 0), afterAnswer(5_000, 0), afterAnswer(999, 0), afterAnswer(1_000, 0)]).toEqual([
    0, 999, 999, 999,
  ]);
});
