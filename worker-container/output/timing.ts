/** The clock and timers of output shipping. A parameter, so that a simulation can drive it. */
export interface Timing {
  /** Monotonic milliseconds. */
  now(): number;
  /** Runs a callback once after `delay` milliseconds. @returns a function that cancels it. */
  schedule(run: () => void, delay: number): () => void;
}

/** This machine's time. Scheduled callbacks do not keep the process alive. */
export const machineTiming: Timing = {
  now: () => performance.now(),
  schedule(run, delay) {
    const timer = setTimeout(run, delay).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Aborts with a `TimeoutError` after `delay` milliseconds.
 * @param from begins that time when it aborts, if it has not yet; default: the time begins now
 */
export function deadline(timing: Timing, delay: number, from?: AbortSignal): AbortSignal {
  const over = new AbortController();
  const begin = () => {
    timing.schedule(() => over.abort(new DOMException('it took too long', 'TimeoutError')), delay);
  };
  if (from === undefined || from.aborted) begin();
  else from.addEventListener('abort', begin, { once: true });
  return over.signal;
}

/** Resolves after `delay` milliseconds, or at once when the signal aborts; never rejects. */
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

/** Milliseconds before the second try; doubled before each further one. */
const BACKOFF = { first: 250, longest: 15_000 };

interface Retrying {
  readonly timing: Timing;
  /** Stops retrying: the promise rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Default: unlimited. */
  readonly tries?: number;
  readonly onFailure: (error: unknown) => void;
}

/** Retries until the work succeeds. Rejects with the last error when all tries are used up. */
export async function retrying(
  work: () => Promise<void>,
  { timing, signal, tries = Infinity, onFailure }: Retrying,
): Promise<void> {
  let delay = BACKOFF.first;
  for (let left = tries; ; left--) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      onFailure(error);
      if (left <= 1) throw error;
    }
    await pause(timing, delay, signal);
    delay = Math.min(delay * 2, BACKOFF.longest);
  }
}
