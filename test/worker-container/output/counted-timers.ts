import type { Timing } from '../../../worker-container/output/timing.ts';

/** Schedules as another one does, and knows the timers that have neither fired nor been cancelled. */
export function countedTimers(schedule: Timing['schedule']): {
  readonly schedule: Timing['schedule'];
  readonly timers: ReadonlySet<object>;
} {
  const timers = new Set<object>();
  return {
    timers,
    schedule: (run, delay) => {
      const timer = {};
      timers.add(timer);
      const cancel = schedule(() => {
        timers.delete(timer);
        run();
      }, delay);
      return () => {
        timers.delete(timer);
        cancel();
      };
    },
  };
}
