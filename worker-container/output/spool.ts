import { type FileHandle, open, rm } from 'node:fs/promises';
import type { OutputSource } from '../../lib/jobs/output/output-source.ts';
import { StreamTally } from '../../lib/jobs/output/stream-tally.ts';
import type { StreamManifest } from '../../lib/jobs/receipts/receipt.ts';

const READ_BYTES = 256 * 1024;

/** One stream of one attempt in a file of the worker's, so that output waiting for S3 need not fit into memory. */
export class Spool {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #tally = new StreamTally();

  /** Creates an empty spool. Replaces an earlier one at this path. */
  static async create(path: string): Promise<Spool> {
    return new Spool(path, await open(path, 'w+', 0o600));
  }

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /** Bytes appended so far. */
  get bytes(): number {
    return this.#tally.bytes;
  }

  /** Must not be called again before it has resolved. */
  async append(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return;
    await this.#file.appendFile(chunk);
    this.#tally.add(chunk);
  }

  /** The bytes from `from` up to but not including `to`, which must have been appended. */
  async slice(from: number, to: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(to - from);
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
    await this.#file.close();
    await rm(this.path, { force: true });
  }

  async *#read(from: number, to: number): AsyncGenerator<Buffer> {
    for (let at = from; at < to; at += READ_BYTES) yield await this.slice(at, Math.min(at + READ_BYTES, to));
  }
}
