/** What one look takes from patience at most, in milliseconds: a machine that stood still has given nobody the time to end. */
const MAX_STEP_MS = 1_000;

/**
 * Patience for so many milliseconds, without the time in which the machine stood still.
 * @returns to be asked at each look: whether some of it is left
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
