import { LIMITS } from '../../lib/contract/limits.ts';

/** The end of a log, short enough to be stored with its job. */
export class LogTail {
  #bytes: Buffer = Buffer.alloc(0);
  #truncated = false;

  push(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#bytes, chunk]);
    this.#bytes = bytes.subarray(-LIMITS.deployBindings.logBytes);
    this.#truncated ||= bytes.length > this.#bytes.length;
  }

  /** The end as text; a character cut in two at its beginning is dropped. */
  end(): { log: string; truncated: boolean } {
    let from = 0;
    while (this.#truncated && from < 4 && ((this.#bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return { log: this.#bytes.subarray(from).toString('utf8'), truncated: this.#truncated };
  }
}
