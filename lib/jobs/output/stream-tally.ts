import { createHash } from 'node:crypto';
import type { StreamManifest } from '../receipts/receipt.ts';

const NEWLINE = 0x0a;

/** Counts and hashes a stream as its bytes arrive. */
export class StreamTally {
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #newlines = 0;
  #endsWithNewline = true;

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    this.#endsWithNewline = chunk.at(-1) === NEWLINE;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) this.#newlines += 1;
  }

  /** A last line without a newline counts as a line. */
  manifest(complete: boolean): StreamManifest {
    return {
      bytes: this.#bytes,
      lines: this.#newlines + (this.#endsWithNewline ? 0 : 1),
      sha256: this.#hash.copy().digest('hex'),
      complete,
    };
  }
}
