/** So many seconds' worth of requests may come at once. */
const BURST_SECONDS = 2;
/** So many callers are remembered; beyond that the ones seen first start anew. */
const CALLERS = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/**
 * How fast each API token may go on, within one process of one function. It costs no request to anything, and so knows
 * nothing of other processes: it slows down a client that has run wild, and is no quota.
 */
export class TokenRate {
  readonly #perSecond: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param perSecond 0: as fast as it likes. @param now milliseconds that never jump. */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Counts a request; returns 0, or the whole seconds to wait if it is one too many. */
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
    if (this.#buckets.size > CALLERS && oldest !== undefined) this.#buckets.delete(oldest);
  }
}
