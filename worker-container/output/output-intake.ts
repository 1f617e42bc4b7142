import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { OutputSource } from '../../lib/jobs/output/output-source.ts';
import { StreamTally } from '../../lib/jobs/output/stream-tally.ts';
import type { StreamManifest } from '../../lib/jobs/receipts/receipt.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { pause, type Timing } from './timing.ts';

interface IntakeOptions {
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

const READ_BYTES = 256 * 1024;

/** One stream of one attempt in a file of the worker's, so that output waiting for S3 need not fit into memory. */
export class Spool {
  readonly path: string;
  /** Opened for the first bytes: many streams have none. */
  #file: FileHandle | undefined;
  readonly #tally = new StreamTally();

  /** An empty spool. With its first bytes it replaces an earlier one at this path. */
  constructor(path: string) {
    this.path = path;
  }

  /** Bytes appended so far. */
  get bytes(): number {
    return this.#tally.bytes;
  }

  /** Must not be called again before it has resolved. */
  async append(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return;
    this.#file ??= await open(this.path, 'w+', 0o600);
    await this.#file.appendFile(chunk);
    this.#tally.add(chunk);
  }

  /** The bytes from `from` up to but not including `to`, which must have been appended. */
  async slice(from: number, to: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(to - from);
    if (this.#file === undefined) {
      if (to > from) throw new Error(`${this.path} is empty, expected ${to} bytes`);
      return bytes;
    }
    for (let filled = 0; filled < bytes.length; ) {
      const { bytesRead } = await this.#file.read(bytes, filled, bytes.length - filled, from + filled);
      if (bytesRead === 0) throw new Error(`${this.path} ends at byte ${from + filled}, expected ${to}`);
      filled += bytesRead;
    }
    return bytes;
  }

  /** What has been appended so far; readable until the spool is removed. */
  source(): OutputSource {
    const size = this.bytes;
    return { size, read: (from = 0, to = size) => this.#read(from, Math.min(to, size)) };
  }

  /** A last line without a newline counts as a line. */
  manifest(complete: boolean): StreamManifest {
    return this.#tally.manifest(complete);
  }

  async remove(): Promise<void> {
    if (this.#file === undefined) return;
    await this.#file.close();
    // The folder of the attempt is removed anyway.
    await unlink(this.path).catch(() => undefined);
  }

  async *#read(from: number, to: number): AsyncGenerator<Buffer> {
    for (let at = from; at < to; at += READ_BYTES) yield await this.slice(at, Math.min(at + READ_BYTES, to));
  }
}
