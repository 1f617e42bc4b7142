import type { Readable } from 'node:stream';
import type { Redactor } from '../secrets/redactor.ts';
import type { Spool } from './spool.ts';
import { pause, type Timing } from './timing.ts';

export interface IntakeOptions {
  /** A pipe of the agent's. */
  readonly input: Readable;
  readonly spool: Spool;
  readonly redactor: Redactor;
  /** Most bytes that are kept. */
  readonly limit: number;
  readonly timing: Timing;
  /** Called with what was kept; must not throw. */
  readonly onKept: (chunk: Buffer) => void;
  /** Called once, when there is more than the limit. */
  readonly onLimit: () => void;
  /** Called once if reading or keeping fails; nothing more is kept then. */
  readonly onError: (error: unknown) => void;
  /** Awaited after each chunk: holding it holds the agent. */
  readonly room: () => Promise<void>;
}

/**
 * A pipe is looked at each 25 ms, and empty when two looks in a row found nothing new: between two timers the pipes are polled.
 * One that never falls silent is left after so many looks; not by time, which a machine that stands still takes away.
 */
const DRAIN = { pause: 25, quietScans: 2, maxScans: 200 };

/** Takes one stream of the agent's, masks it and appends it to its spool. Reads on, unkept, once it can't keep more. */
export class OutputIntake {
  /** When the pipe has ended and everything from it is kept; never rejects. */
  readonly ended: Promise<void>;
  readonly #options: IntakeOptions;
  #hasEnded = false;
  #closing = false;
  #discarding = false;
  #complete = true;
  #busy = false;
  #chunks = 0;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.ended = this.#run();
  }

  /** Whether everything that was read has been kept. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Takes what is readable by now and lets go of the pipe, which processes that outlived the agent may hold open. */
  async close(): Promise<void> {
    const { input, timing } = this.#options;
    this.#closing = true;
    let [looks, quiet] = [0, 0];
    for (let seen = this.#chunks; quiet < DRAIN.quietScans && !this.#hasEnded; seen = this.#chunks) {
      await Promise.race([this.ended, pause(timing, DRAIN.pause)]);
      looks += 1;
      quiet = this.#busy || seen !== this.#chunks ? 0 : quiet + 1;
      if (looks < DRAIN.maxScans) continue;
      this.#complete &&= this.#hasEnded;
      break;
    }
    input.destroy();
    await this.ended;
  }

  async #run(): Promise<void> {
    const { input, redactor } = this.#options;
    try {
      for await (const chunk of input) {
        if (!Buffer.isBuffer(chunk)) throw new TypeError('output must come as bytes: the stream has an encoding set');
        this.#chunks += 1;
        this.#busy = true;
        await this.#keep(redactor.push(chunk));
        this.#busy = false;
      }
    } catch (error) {
      if (!this.#closing) this.#fail(error);
    }
    await this.#keep(redactor.flush());
    this.#hasEnded = true;
  }

  async #keep(bytes: Buffer): Promise<void> {
    const { spool, limit, onKept, onLimit, room } = this.#options;
    if (this.#discarding || bytes.length === 0) return;
    const kept = bytes.subarray(0, limit - spool.bytes);
    try {
      await spool.append(kept);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (kept.length > 0) onKept(kept);
    if (kept.length < bytes.length) {
      this.#discard();
      onLimit();
    }
    await room();
  }

  #fail(error: unknown): void {
    this.#discard();
    this.#options.onError(error);
  }

  #discard(): void {
    this.#discarding = true;
    this.#complete = false;
  }
}
