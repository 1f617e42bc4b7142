/** Time as the shipping of output sees it; a parameter, so that a simulation can drive it. */
export interface Timing {
  /** Milliseconds that never jump. */
  now(): number;
  /** Runs something once after `delay` milliseconds. @returns What calls it off. */
  schedule(run: () => void, delay: number): () => void;
}

/** This machine's time; nothing scheduled keeps the process alive. */
export const machineTiming: Timing = {
  now: () => performance.now(),
  schedule(run, delay) {
    const timer = setTimeout(run, delay).unref();
    return () => clearTimeout(timer);
  },
};

/** Aborts with a `TimeoutError` after `delay` milliseconds. */
export function deadline(timing: Timing, delay: number): AbortSignal {
  const over = new AbortController();
  timing.schedule(() => over.abort(new DOMException('it took too long', 'TimeoutError')), delay);
  return over.signal;
}

/** Ends after `delay` milliseconds, or at once when the signal aborts; never rejects. */
export function pause(timing: Timing, delay: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timing.schedule(end, delay);
    signal?.addEventListener('abort', end, { once: true });
  });
}
