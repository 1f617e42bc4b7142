/** Shorter values would mask ordinary words. */
const SHORTEST_SECRET = 6;
const MASK = Buffer.from('***');

/**
 * Masks secret values in a byte stream that comes in pieces cut anywhere. Overlapping occurrences become one mask, so
 * that no rest of one shows. Masks a value as it is and as it stands in JSON, which is what agents print.
 */
export class Redactor {
  readonly #secrets: readonly Buffer[];
  /** Bytes that may be the beginning of a secret. */
  #held: Buffer = Buffer.alloc(0);
  /** How many of the held bytes belong to a mask that has been given already. */
  #covered = 0;

  /** @param secrets Values of fewer than 6 characters are ignored, as is white space around a value. */
  constructor(secrets: Iterable<string>) {
    this.#secrets = [...new Set([...secrets].flatMap(forms))].map((form) => Buffer.from(form));
  }

  /** The next bytes, masked. Holds back what may be a secret's beginning: always less than the longest secret. */
  push(chunk: Buffer): Buffer {
    if (this.#secrets.length === 0) return chunk;
    const bytes = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    return this.#mask(bytes, this.#undecidedFrom(bytes));
  }

  /** What is still held back; to be called once, when no more bytes come. */
  flush(): Buffer {
    return this.#mask(this.#held, this.#held.length);
  }

  /** Masks everything before `end` and holds back the rest. */
  #mask(bytes: Buffer, end: number): Buffer {
    const parts: Buffer[] = [];
    let at = this.#covered;
    for (const [from, to] of this.#occurrences(bytes, end)) {
      if (from >= at) parts.push(bytes.subarray(at, from), MASK);
      at = Math.max(at, to);
    }
    if (at < end) parts.push(bytes.subarray(at, end));
    this.#held = Buffer.from(bytes.subarray(end));
    this.#covered = Math.max(0, at - end);
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  }

  /** Where secrets begin before `end`, in order. */
  #occurrences(bytes: Buffer, end: number): [from: number, to: number][] {
    const found: [from: number, to: number][] = [];
    for (const secret of this.#secrets) {
      for (let at = bytes.indexOf(secret); at >= 0 && at < end; at = bytes.indexOf(secret, at + 1)) {
        found.push([at, at + secret.length]);
      }
    }
    return found.sort(([a], [b]) => a - b);
  }

  /** The first place from which the bytes up to the end are a secret's beginning, but not the whole of it. */
  #undecidedFrom(bytes: Buffer): number {
    let earliest = bytes.length;
    for (const secret of this.#secrets) {
      for (let at = Math.max(0, bytes.length - secret.length + 1); at < earliest; at++) {
        if (bytes.compare(secret, 0, bytes.length - at, at) === 0) earliest = at;
      }
    }
    return earliest;
  }
}

/** How a secret may be written. */
function forms(secret: string): string[] {
  const value = secret.trim();
  if (Array.from(value).length < SHORTEST_SECRET) return [];
  return [value, JSON.stringify(value).slice(1, -1)];
}
