import { pause, type Timing } from './timing.ts';

/** Milliseconds before the second try; doubled before each further one. */
const BACKOFF = { first: 250, longest: 15_000 };

export interface Retrying {
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
