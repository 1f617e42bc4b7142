import { once } from 'node:events';
import type { DispatchQueues, ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import { BANDS, type Band, QUEUE } from '../../lib/platform/aws/tables.ts';
import { machineTiming, pause, type Timing } from '../output/timing.ts';

/** Every so many messages, a band that has waited too long comes first, so that no band starves. */
const STARVATION_GUARD_EVERY = 8;

/** Milliseconds in which a band that had no message is not polled again by another slot. */
const EMPTY_KNOWN_MS = 100;

/** Milliseconds in which the bands that wait too long are not read again: they have waited for minutes. */
const STARVATION_KNOWN_MS = 1_000;

/** Milliseconds to wait after the queues failed to answer. */
const FAILURE_PAUSE_MS = 1_000;

interface MessagePollerOptions {
  readonly dispatchQueues: Pick<DispatchQueues, 'receiveUpTo' | 'release'>;
  /** The bands with a job that has been ready for too long. */
  readonly starvingBands: () => Promise<readonly Band[]>;
  readonly onFailure: (error: unknown) => void;
  /** Default: this machine's. */
  readonly timing?: Timing | undefined;
}

/**
 * Receives dispatch messages from the three bands for a worker with free slots. It polls from the highest band to the
 * lowest, for all free slots at once, then long-polls all bands. A message that arrives after another one is not lost:
 * it goes to the next slot that asks, or back to its queue.
 */
export class MessagePoller {
  readonly #options: MessagePollerOptions;
  readonly #waits = new Map<Band, Promise<unknown>>();
  readonly #arrived: ReceivedMessage[] = [];
  readonly #receiving = new Set<Promise<unknown>>();
  readonly #emptyAt = new Map<Band, number>();
  #polling: Promise<boolean> | undefined;
  /** Set while only the last poll may receive; resolved when that is over. */
  #closing: PromiseWithResolvers<void> | undefined;
  #asking = 0;
  #guards = 0;
  #sinceGuard = 0;
  #failures = 0;
  #starved: { readonly at: number; readonly bands: readonly Band[] } = { at: Number.NEGATIVE_INFINITY, bands: [] };

  constructor(options: MessagePollerOptions) {
    this.#options = options;
  }

  /** The next message, or undefined when `signal` is aborted. */
  async next(signal: AbortSignal): Promise<ReceivedMessage | undefined> {
    this.#asking += 1;
    try {
      for (;;) {
        const received = this.#arrived.shift();
        if (received !== undefined || signal.aborted) return received;
        const isFound = await this.#pollTogether();
        // A long poll may have ended meanwhile.
        if (!isFound && this.#arrived.length === 0) await this.#wait(signal);
      }
    } finally {
      this.#asking -= 1;
    }
  }

  /**
   * Polls a last time: starts no further long polls, awaits those in progress (at most 20 s; a queue may hand a message
   * to a poll whose caller has gone), and polls each queue once more.
   * @returns whether nothing arrived. If so, nothing is received afterwards; otherwise polling continues as before.
   */
  async lastPoll(): Promise<boolean> {
    const closing = Promise.withResolvers<void>();
    this.#closing = closing;
    const failures = this.#failures;
    while (this.#receiving.size > 0 && this.#closing !== undefined)
      await Promise.race([Promise.all(this.#receiving), closing.promise]);
    // A long poll, however short, asks all servers of a queue. A short poll asks some of them.
    if (this.#closing !== undefined) await Promise.all(BANDS.map((band) => this.#longPoll(band, 1)));
    const isOver = this.#closing !== undefined && this.#failures === failures;
    if (!isOver) this.#resume();
    return isOver;
  }

  #resume(): void {
    this.#closing?.resolve();
    this.#closing = undefined;
  }

  /** Polls once for all slots that ask meanwhile. @returns whether messages came */
  #pollTogether(): Promise<boolean> {
    this.#polling ??= this.#poll().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #poll(): Promise<boolean> {
    if (this.#closing !== undefined) return false;
    const starving = await this.#starvingBand();
    // One message of it: those behind it wait for their turn.
    if (starving !== undefined && this.#closing === undefined && (await this.#receive(starving, { most: 1 })))
      return true;
    for (const band of BANDS) {
      if (this.#closing !== undefined) return false;
      if (this.#isKnownEmpty(band)) continue;
      const most = Math.max(1, this.#asking - this.#arrived.length);
      if (await this.#receive(band, { most })) return true;
    }
    return false;
  }

  /** Whether a message of this band would be in the answer to a long poll, or there was none a moment ago. */
  #isKnownEmpty(band: Band): boolean {
    const { now } = this.#options.timing ?? machineTiming;
    return this.#waits.has(band) || now() - (this.#emptyAt.get(band) ?? Number.NEGATIVE_INFINITY) < EMPTY_KNOWN_MS;
  }

  /** The band that comes first in this poll because its jobs have waited for too long. */
  async #starvingBand(): Promise<Band | undefined> {
    this.#sinceGuard += 1;
    if (this.#sinceGuard < STARVATION_GUARD_EVERY) return undefined;
    this.#sinceGuard = 0;
    this.#guards += 1;
    const starving = await this.#starving();
    // Take turns: otherwise a band that never empties would keep the others from being first.
    return starving[this.#guards % starving.length];
  }

  /** A failing guard must not stop polling. */
  async #starving(): Promise<readonly Band[]> {
    const { now } = this.#options.timing ?? machineTiming;
    if (now() - this.#starved.at < STARVATION_KNOWN_MS) return this.#starved.bands;
    try {
      const bands = await this.#options.starvingBands();
      this.#starved = { at: now(), bands };
      return bands;
    } catch (error) {
      this.#options.onFailure(error);
      return [];
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    if (this.#closing === undefined) {
      for (const band of BANDS) if (!this.#waits.has(band)) this.#waits.set(band, this.#waitFor(band));
    }
    const waited = new AbortController();
    try {
      const aborted = once(signal, 'abort', { signal: waited.signal }).catch(() => undefined);
      const waits = this.#closing === undefined ? this.#waits.values() : [this.#closing.promise];
      if (!signal.aborted) await Promise.race([...waits, aborted]);
    } finally {
      waited.abort();
    }
  }

  async #waitFor(band: Band): Promise<void> {
    await this.#longPoll(band, QUEUE.receiveWait);
    this.#waits.delete(band);
  }

  /** Ignores aborts: a queue may hand a message to a poll whose caller has gone, and then hides it for a while. */
  async #longPoll(band: Band, waitSeconds: number): Promise<void> {
    await this.#receive(band, { most: 1, waitSeconds });
  }

  /** @returns whether messages came */
  async #receive(band: Band, how: { readonly most: number; readonly waitSeconds?: number }): Promise<boolean> {
    const receiving = this.#tryToReceive(band, { waitSeconds: 0, ...how });
    this.#receiving.add(receiving);
    const received = await receiving;
    this.#receiving.delete(receiving);
    if (received.length === 0) return false;
    this.#resume();
    this.#sinceGuard += received.length - 1;
    for (const message of received) await this.#deliver(message);
    return true;
  }

  async #deliver(received: ReceivedMessage): Promise<void> {
    if (this.#arrived.length < this.#asking) this.#arrived.push(received);
    else await this.#options.dispatchQueues.release(received).catch(this.#options.onFailure);
  }

  async #tryToReceive(
    band: Band,
    how: { readonly most: number; readonly waitSeconds: number },
  ): Promise<readonly ReceivedMessage[]> {
    const timing = this.#options.timing ?? machineTiming;
    try {
      const received = await this.#options.dispatchQueues.receiveUpTo(band, how);
      if (received.length === 0 && how.waitSeconds === 0) this.#emptyAt.set(band, timing.now());
      return received;
    } catch (error) {
      this.#failures += 1;
      this.#options.onFailure(error);
      await pause(timing, FAILURE_PAUSE_MS);
      return [];
    }
  }
}
