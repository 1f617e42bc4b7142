import { LIVE_CHUNK_BYTES } from '../../lib/jobs/output/output-keys.ts';
import type { Spool } from './output-intake.ts';
import type { OutputObjects } from './output-objects.ts';
import { retrying, type Timing } from './timing.ts';

interface StreamShipperOptions {
  readonly spool: Pick<Spool, 'path' | 'bytes' | 'slice'>;
  readonly objects: OutputObjects;
  /** Key of the live chunk that begins at an offset. */
  readonly chunkKey: (offset: number) => string;
  readonly joinedKey: string;
  readonly timing: Timing;
  /** Stops all tries. */
  readonly signal: AbortSignal;
  /** Called when a request fails. It is retried. */
  readonly onFailure: (error: unknown) => void;
}

/** Bytes that may wait for S3 before the agent is blocked. */
const MAX_BACKLOG_BYTES = 4 * LIVE_CHUNK_BYTES;
/** Up to this size the join is one request, as fast as a last live chunk would be. */
const SMALL_JOIN = 5 * 1024 * 1024;
/** Live chunks beside a joined object do no harm: readers prefer the joined one. */
const DELETE_TRIES = 4;

/** Ships one spool to S3: live chunks in order while the attempt runs, one joined object at its end. */
export class StreamShipper {
  readonly #options: StreamShipperOptions;
  readonly #timer: FlushTimer;
  readonly #waiting: (() => void)[] = [];
  /** Offsets of the live chunks. */
  readonly #chunks: number[] = [];
  #shipped = 0;
  #flushing: Promise<void> | undefined;
  #finishing = false;

  constructor(options: StreamShipperOptions) {
    this.#options = options;
    this.#timer = new FlushTimer(() => this.#flush(), options.timing);
  }

  setWatched(watched: boolean): void {
    this.#timer.setWatched(watched);
  }

  /** Call it when the spool has grown. */
  grown(): void {
    if (this.#finishing || this.#flushing !== undefined) return;
    if (this.#backlog >= LIVE_CHUNK_BYTES) this.#flush();
    else if (this.#backlog > 0) this.#timer.arm();
  }

  /** Waits while too much is pending, so that a slow S3 slows the agent down. Never rejects. */
  async room(): Promise<void> {
    while (this.#backlog >= MAX_BACKLOG_BYTES && !this.#finishing && !this.#options.signal.aborted) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Stops live chunks and releases those that wait for room: the end is near. */
  settle(): void {
    this.#finishing = true;
    this.#timer.disarm();
    this.#letGo();
  }

  /** Joins the spool. Nothing may be appended to it afterwards. Rejects only with the signal's reason. */
  async join(): Promise<void> {
    const { spool, objects, joinedKey, chunkKey, signal } = this.#options;
    this.settle();
    await this.#flushing;
    signal.throwIfAborted();
    if (spool.bytes === 0) return;
    if (this.#chunks.length > 0 && spool.bytes > SMALL_JOIN) await this.#shipUpTo(spool.bytes);
    await this.#retrying(() => objects.uploadFile(joinedKey, spool.path, spool.bytes, signal));
    if (this.#chunks.length === 0) return;
    const keys = this.#chunks.map(chunkKey);
    await this.#retrying(() => objects.deleteMany(keys, signal), DELETE_TRIES).catch(() => undefined);
  }

  get #backlog(): number {
    return this.#options.spool.bytes - this.#shipped;
  }

  /** Only while none is in progress and the end is not near. */
  #flush(): void {
    this.#timer.disarm();
    this.#flushing = this.#flushAll().finally(() => {
      this.#flushing = undefined;
      this.#letGo();
      if (!this.#options.signal.aborted) this.grown();
    });
  }

  async #flushAll(): Promise<void> {
    try {
      do await this.#shipUpTo(this.#options.spool.bytes);
      while (this.#backlog >= LIVE_CHUNK_BYTES && !this.#finishing);
      this.#timer.flushed();
    } catch {
      // Only an abort ends the tries, and `join` rejects with its reason.
    }
  }

  /** The bounds of a chunk stay the same in every try: a late first try must not shorten it. */
  async #shipUpTo(end: number): Promise<void> {
    const { spool, objects, chunkKey, signal } = this.#options;
    while (this.#shipped < end) {
      const from = this.#shipped;
      const to = Math.min(from + LIVE_CHUNK_BYTES, end);
      await this.#retrying(async () => objects.put(chunkKey(from), await spool.slice(from, to), signal));
      this.#chunks.push(from);
      this.#shipped = to;
      this.#letGo();
    }
  }

  #retrying(work: () => Promise<void>, tries?: number): Promise<void> {
    const { timing, signal, onFailure } = this.#options;
    return retrying(work, { timing, signal, onFailure, ...(tries === undefined ? {} : { tries }) });
  }

  #letGo(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

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
class FlushTimer {
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
