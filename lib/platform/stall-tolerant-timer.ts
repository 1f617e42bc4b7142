/** Milliseconds: the most that one poll counts. After a stall of the machine, processes had no time to exit. */
const MAX_STEP_MS = 1_000;

/**
 * A timer of so many milliseconds that ignores stalls of the machine.
 * @returns a function for each poll: whether time is left
 */
export function stallTolerantTimer(milliseconds: number): () => boolean {
  let left = milliseconds;
  let before = performance.now();
  return () => {
    const now = performance.now();
    left -= Math.min(now - before, MAX_STEP_MS);
    before = now;
    return left > 0;
  };
}
