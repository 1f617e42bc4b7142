import type { Timing } from './timing.ts';

/** Milliseconds. */
export const FLUSH = {
  /** From the first pending byte to its flush, unless something delays it. */
  soon: 1_000,
  /** Longest interval between flushes while no one reads along. */
  longest: 60_000,
} as const;

/**
 * Decides when to flush a stream: a second after its first byte, then at intervals that double up to a minute, so that
 * hours of output cost few requests. While someone reads along, within a second.
 */
export class FlushTimer {
  readonly #flush: () => void;
  readonly #timing: Timing;
  #interval: number = FLUSH.soon;
  #lastFlush = -Infinity;
  #watched = false;
  #cancel: (() => void) | undefined;

  constructor(flush: () => void, timing: Timing) {
    this.#flush = flush;
    this.#timing = timing;
  }

  /** Call it when there is something to flush. Repeated calls do no harm. */
  arm(): void {
    if (this.#cancel !== undefined) return;
    const now = this.#timing.now();
    const due = this.#watched ? 0 : this.#lastFlush + this.#interval;
    this.#cancel = this.#timing.schedule(() => this.#fire(), Math.max(FLUSH.soon, due - now));
  }

  /** Call it when everything pending has been flushed. */
  flushed(): void {
    this.disarm();
    this.#lastFlush = this.#timing.now();
    if (!this.#watched) this.#interval = Math.min(this.#interval * 2, FLUSH.longest);
  }

  /** Call it when someone begins or stops reading along. Pending output is flushed at once when they begin. */
  setWatched(watched: boolean): void {
    this.#watched = watched;
    if (watched && this.#cancel !== undefined) {
      this.disarm();
      this.#flush();
    }
  }

  disarm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #fire(): void {
    this.#cancel = undefined;
    this.#flush();
  }
}
