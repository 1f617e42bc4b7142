import { once } from 'node:events';
import type { DispatchQueues, ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import { BANDS, type Band, QUEUE } from '../../lib/platform/aws/tables.ts';
import { machineTiming, pause, type Timing } from '../output/timing.ts';

/** Every so many polls, a band that has waited too long comes first, so that no band starves. */
const STARVATION_GUARD_EVERY = 8;

/** Milliseconds in which the bands that wait too long are not read again: they have waited for minutes. */
const STARVATION_KNOWN_MS = 1_000;

/** Milliseconds to wait after the queues failed to answer. */
const FAILURE_PAUSE_MS = 1_000;

export interface MessagePollerOptions {
  readonly dispatchQueues: Pick<DispatchQueues, 'receive' | 'release'>;
  /** The bands with a job that has been ready for too long. */
  readonly starvingBands: () => Promise<readonly Band[]>;
  readonly onFailure: (error: unknown) => void;
  /** Default: this machine's. */
  readonly timing?: Timing | undefined;
}

/**
 * Receives dispatch messages from the three bands for a worker with free slots. It polls from the highest band to the
 * lowest, then long-polls all of them at once. A message that arrives after another one is not lost: it goes to the
 * next slot that asks, or back to its queue.
 */
export class MessagePoller {
  readonly #options: MessagePollerOptions;
  readonly #waits = new Map<Band, Promise<ReceivedMessage | undefined>>();
  readonly #arrived: ReceivedMessage[] = [];
  readonly #receiving = new Set<Promise<unknown>>();
  /** Set while only the last poll may receive; resolved when that is over. */
  #closing: PromiseWithResolvers<void> | undefined;
  #asking = 0;
  #looks = 0;
  #failures = 0;
  #starved: { readonly at: number; readonly bands: readonly Band[] } = { at: Number.NEGATIVE_INFINITY, bands: [] };

  constructor(options: MessagePollerOptions) {
    this.#options = options;
  }

  /** The next message, or undefined when `signal` is aborted. */
  async next(signal: AbortSignal): Promise<ReceivedMessage | undefined> {
    this.#asking += 1;
    try {
      while (!signal.aborted) {
        const received = this.#arrived.shift() ?? (await this.#poll()) ?? (await this.#wait(signal));
        if (received !== undefined) return received;
      }
      return undefined;
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

  async #poll(): Promise<ReceivedMessage | undefined> {
    if (this.#closing !== undefined) return undefined;
    for (const band of await this.#order()) {
      if (this.#closing !== undefined) return undefined;
      const received = await this.#receive(band, 0);
      if (received !== undefined) return received;
    }
    return undefined;
  }

  async #order(): Promise<readonly Band[]> {
    this.#looks += 1;
    if (this.#looks % STARVATION_GUARD_EVERY !== 0) return BANDS;
    const starving = await this.#starving();
    // Take turns: otherwise a band that never empties would keep the others from being first.
    const first = starving[(this.#looks / STARVATION_GUARD_EVERY) % starving.length];
    return first === undefined ? BANDS : [first, ...BANDS.filter((band) => band !== first)];
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

  async #wait(signal: AbortSignal): Promise<ReceivedMessage | undefined> {
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
    return this.#arrived.shift();
  }

  async #waitFor(band: Band): Promise<ReceivedMessage | undefined> {
    const received = await this.#longPoll(band, QUEUE.receiveWait);
    this.#waits.delete(band);
    return received;
  }

  /** Ignores aborts: a queue may hand a message to a poll whose caller has gone, and then hides it for a while. */
  async #longPoll(band: Band, seconds: number): Promise<ReceivedMessage | undefined> {
    const received = await this.#receive(band, seconds);
    if (received === undefined) return undefined;
    if (this.#asking > 0) this.#arrived.push(received);
    else await this.#options.dispatchQueues.release(received).catch(this.#options.onFailure);
    return received;
  }

  async #receive(band: Band, waitSeconds: number): Promise<ReceivedMessage | undefined> {
    const receiving = this.#tryToReceive(band, waitSeconds);
    this.#receiving.add(receiving);
    const received = await receiving;
    this.#receiving.delete(receiving);
    if (received !== undefined) this.#resume();
    return received;
  }

  async #tryToReceive(band: Band, waitSeconds: number): Promise<ReceivedMessage | undefined> {
    try {
      return await this.#options.dispatchQueues.receive(band, waitSeconds);
    } catch (error) {
      this.#failures += 1;
      this.#options.onFailure(error);
      await pause(this.#options.timing ?? machineTiming, FAILURE_PAUSE_MS);
      return undefined;
    }
  }
}
