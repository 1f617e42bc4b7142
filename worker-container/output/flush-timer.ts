import type { Timing } from './timing.ts';

/** Milliseconds. */
export const FLUSH = {
  /** From the first pending byte to its flush, when nothing else delays it. */
  soon: 1_000,
  /** Longest interval between flushes while nobody watches. */
  longest: 60_000,
} as const;

/**
 * Says when a stream is to be flushed: a second after its first byte, then at intervals that double up to a minute, so
 * that hours of output cost few requests; within a second while somebody watches.
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

  /** There is something to flush; says so again and again without harm. */
  arm(): void {
    if (this.#cancel !== undefined) return;
    const now = this.#timing.now();
    const due = this.#watched ? 0 : this.#lastFlush + this.#interval;
    this.#cancel = this.#timing.schedule(() => this.#fire(), Math.max(FLUSH.soon, due - now));
  }

  /** Everything that was pending has been flushed. */
  flushed(): void {
    this.disarm();
    this.#lastFlush = this.#timing.now();
    if (!this.#watched) this.#interval = Math.min(this.#interval * 2, FLUSH.longest);
  }

  /** Somebody begins or ceases to read along; what is pending when somebody begins is flushed at once. */
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
