import { MASK } from '../../lib/contract/mask.ts';
import { Comparisons } from './comparisons.ts';
import type { SecretMatcher } from './secret-matcher.ts';

const MASK_BYTES = Buffer.from(MASK);

/**
 * Masks secrets in a byte stream that arrives in arbitrary pieces. Overlapping occurrences become one mask, so that no
 * part of either shows.
 */
export class Redactor {
  readonly #matcher: SecretMatcher;
  /** Bytes that may be the beginning of a secret. */
  #held: Buffer = Buffer.alloc(0);
  /** How many of the held bytes belong to a mask that has been written already. */
  #covered = 0;
  #hasMasked = false;

  constructor(matcher: SecretMatcher) {
    this.#matcher = matcher;
  }

  /** Whether a secret was found, so that what was returned differs from what arrived. */
  get hasMasked(): boolean {
    return this.#hasMasked;
  }

  /** The next bytes, masked. Holds back what may be a secret's beginning: always less than the longest spelling. */
  push(chunk: Buffer): Buffer {
    if (this.#matcher.isEmpty) return chunk;
    return this.#mask(this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk, { isEnd: false });
  }

  /** The bytes that are still held back, masked. Call it once, after the last bytes. */
  flush(): Buffer {
    return this.#mask(this.#held, { isEnd: true });
  }

  /** Masks everything up to a possible beginning of a secret, and holds back the rest. */
  #mask(bytes: Buffer, { isEnd }: { readonly isEnd: boolean }): Buffer {
    const matcher = this.#matcher;
    const comparisons = new Comparisons(bytes);
    const parts: Buffer[] = [];
    let covered = this.#covered;
    let at = matcher.next(bytes, 0);
    for (; at < bytes.length; at = matcher.next(bytes, at + 1)) {
      const { end, isOpen } = matcher.match(comparisons, at);
      if (isOpen && !isEnd) break;
      if (end === undefined) continue;
      this.#hasMasked = true;
      if (at >= covered) parts.push(bytes.subarray(covered, at), MASK_BYTES);
      covered = Math.max(covered, end);
    }
    if (covered < at) parts.push(bytes.subarray(covered, at));
    this.#held = Buffer.from(bytes.subarray(at));
    this.#covered = Math.max(0, covered - at);
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }
}
