import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { OutputSource } from '../../lib/jobs/output/output-source.ts';
import { StreamTally } from '../../lib/jobs/output/stream-tally.ts';
import type { StreamManifest } from '../../lib/jobs/receipts/receipt.ts';

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
