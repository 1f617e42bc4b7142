/** The burst, in seconds' worth of requests. */
const BURST_SECONDS = 2;
/** Maximum number of remembered callers; the least recently seen ones start with a full burst again. */
const MAX_CALLERS = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/**
 * The request rate of each API token, within one process of one function. It makes no request and does not see other
 * processes: it slows down a runaway client, and is no quota.
 */
export class TokenRate {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param perSecond 0: no limit. @param now monotonic milliseconds. */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts a request; returns 0, or the whole seconds to wait if it exceeds the rate. */
  take(caller: string): number {
    if (this.#perSecond === 0) return 0;
    const most = this.#perSecond * BURST_SECONDS;
    const now = this.#now();
    const bucket = this.#buckets.get(caller) ?? { left: most, at: now };
    bucket.left = Math.min(most, bucket.left + ((now - bucket.at) / 1000) * this.#perSecond);
    bucket.at = now;
    this.#remember(caller, bucket);
    if (bucket.left < 1) return Math.ceil((1 - bucket.left) / this.#perSecond);
    bucket.left -= 1;
    return 0;
  }

  #remember(caller: string, bucket: Bucket): void {
    this.#buckets.delete(caller);
    this.#buckets.set(caller, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
  }
}
