import type { Timing } from '../../../worker-container/output/timing.ts';

/** Time that passes only on request. */
export function virtualTiming(): Timing & { advance(milliseconds: number): void; scheduled(): number } {
  let now = 0;
  const due = new Map<() => void, number>();
  return {
    now: () => now,
    schedule(run, delay) {
      const once = () => run();
      due.set(once, now + delay);
      return () => void due.delete(once);
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const [next] = [...due].sort(([, a], [, b]) => a - b);
        if (next === undefined || next[1] > end) break;
        now = next[1];
        due.delete(next[0]);
        next[0]();
      }
      now = end;
    },
    scheduled: () => due.size,
  };
}
