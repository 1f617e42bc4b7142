import type { Readable } from 'node:stream';
import type { Redactor } from '../secrets/redactor.ts';
import type { Spool } from './spool.ts';
import { pause, type Timing } from './timing.ts';

export interface IntakeOptions {
  /** One of the agent's pipes. */
  readonly input: Readable;
  readonly spool: Spool;
  readonly redactor: Redactor;
  /** Most bytes to keep. */
  readonly limit: number;
  readonly timing: Timing;
  /** Called with each chunk as the agent wrote it, before it is masked; must not throw. */
  readonly onRead?: (chunk: Buffer) => void;
  /** Called with each kept chunk; must not throw. */
  readonly onKept: (chunk: Buffer) => void;
  /** Called once, when the stream exceeds the limit. */
  readonly onLimit: () => void;
  /** Called once if reading or keeping fails. Nothing more is kept then. */
  readonly onError: (error: unknown) => void;
  /** Awaited after each chunk. While it is pending, the agent is blocked. */
  readonly room: () => Promise<void>;
}

/**
 * `pause` is in milliseconds. A pipe counts as empty after two polls in a row without new bytes: Node polls the pipes
 * between two timers. A pipe that never falls silent is closed after a number of polls rather than a time, which passes
 * while the machine is suspended.
 */
const DRAIN = { pause: 25, quietScans: 2, maxScans: 200 };

/** Reads one of the agent's streams, masks it and appends it to its spool. After a limit or failure, discards it. */
export class OutputIntake {
  /** Resolves when the pipe has ended and everything from it is kept; never rejects. */
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

  /** Reads what is available and closes the pipe, which processes that outlived the agent may hold open. */
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
        this.#options.onRead?.(chunk);
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
    if (this.#discarding) return;
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
