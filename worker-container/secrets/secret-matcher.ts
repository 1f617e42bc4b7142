import type { Comparisons } from './comparisons.ts';
import { type Spelling, spellingsOf } from './spellings.ts';

/** A spelling as bytes. Neighbouring pieces with a single way to write them are joined. */
type Pattern = readonly (readonly Buffer[])[];

/** What begins at a position. */
export interface Match {
  /** Where the longest secret that begins here ends; undefined: none begins here. */
  readonly end: number | undefined;
  /** Whether more bytes are needed to decide what begins here. */
  readonly isOpen: boolean;
}

/** Every spelling of a secret has at least this many bytes. */
const PREFIX_BYTES = 6;

/**
 * Finds secrets in bytes, in every spelling, by the spellings' first bytes (Wu and Manber), so that the time does not
 * grow with their number.
 */
export class SecretMatcher {
  readonly #byPrefix = new Map<number, Pattern[]>();
  readonly #byFirstByte = new Map<number, Pattern[]>();
  /** By the two bytes that end a window of `PREFIX_BYTES`: distance to the next window where a spelling may begin. */
  readonly #shifts = new Uint8Array(0x10000).fill(PREFIX_BYTES - 1);
  /** By the two bytes that begin a window: whether a spelling begins with them. */
  readonly #starts = new Uint8Array(0x10000);

  /** @param secrets Values of fewer than 6 characters are ignored, as is white space around a value. */
  constructor(secrets: Iterable<string>) {
    const spellings = [...new Set(secrets)].flatMap(spellingsOf).map(joined);
    const distinct = new Map(spellings.map((spelling) => [JSON.stringify(spelling), spelling]));
    for (const spelling of distinct.values()) this.#add(spelling.map((ways) => ways.map((way) => Buffer.from(way))));
  }

  get isEmpty(): boolean {
    return this.#byPrefix.size === 0;
  }

  /** The first position at or after `from` where something may begin; the number of bytes if there is none. */
  next(bytes: Buffer, from: number): number {
    const [shifts, starts, last] = [this.#shifts, this.#starts, bytes.length - PREFIX_BYTES];
    let at = from;
    while (at <= last) {
      const shift = shifts[((bytes[at + 4] as number) << 8) | (bytes[at + 5] as number)] as number;
      if (shift === 0 && starts[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] === 1) return at;
      at += shift === 0 ? 1 : shift;
    }
    while (at < bytes.length && !this.#byFirstByte.has(bytes[at] as number)) at += 1;
    return at;
  }

  /** What begins at a position that `next` returned. */
  match(comparisons: Comparisons, at: number): Match {
    const { bytes } = comparisons;
    const isWhole = at + PREFIX_BYTES <= bytes.length;
    const patterns = isWhole
      ? this.#byPrefix.get(bytes.readUIntBE(at, PREFIX_BYTES))
      : this.#byFirstByte.get(bytes[at] as number);
    let end: number | undefined;
    let isOpen = false;
    for (const pattern of patterns ?? []) {
      const found = endOf(pattern, comparisons, at);
      if (found === CUT) isOpen = true;
      else if (found !== NOT_HERE) end = Math.max(end ?? 0, found);
    }
    return { end, isOpen };
  }

  #add(pattern: Pattern): void {
    const prefixes = prefixesOf(pattern);
    for (const prefix of prefixes) {
      append(this.#byPrefix, prefix.readUIntBE(0, PREFIX_BYTES), pattern);
      this.#starts[prefix.readUInt16BE(0)] = 1;
      for (let at = 0; at <= PREFIX_BYTES - 2; at++) {
        const pair = prefix.readUInt16BE(at);
        this.#shifts[pair] = Math.min(this.#shifts[pair] as number, PREFIX_BYTES - 2 - at);
      }
    }
    for (const first of new Set(prefixes.map((prefix) => prefix.readUInt8(0))))
      append(this.#byFirstByte, first, pattern);
  }
}

function append(lists: Map<number, Pattern[]>, key: number, pattern: Pattern): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [pattern]);
  else list.push(pattern);
}

function joined(spelling: Spelling): Spelling {
  const pieces: (readonly string[])[] = [];
  let before = '';
  for (const ways of spelling) {
    const [only] = ways;
    if (ways.length === 1 && only !== undefined) before += only;
    else {
      if (before !== '') pieces.push([before]);
      pieces.push(ways);
      before = '';
    }
  }
  return before === '' ? pieces : [...pieces, [before]];
}

/** The first bytes of everything that a pattern matches. */
function prefixesOf(pattern: Pattern): Buffer[] {
  let prefixes = [''];
  for (const ways of pattern) {
    if (prefixes.every(({ length }) => length === PREFIX_BYTES)) break;
    const longer = prefixes.flatMap((prefix) => ways.map((way) => prefix + way.toString('latin1', 0, PREFIX_BYTES)));
    prefixes = [...new Set(longer.map((prefix) => prefix.slice(0, PREFIX_BYTES)))];
  }
  return prefixes.map((prefix) => Buffer.from(prefix, 'latin1'));
}

const NOT_HERE = -1;
/** The bytes end before the pattern does. */
const CUT = -2;

function endOf(pattern: Pattern, comparisons: Comparisons, from: number): number {
  let at = from;
  for (const ways of pattern) {
    const end = endOfOne(ways, comparisons, at);
    if (end < 0) return end;
    at = end;
  }
  return at;
}

function endOfOne(ways: readonly Buffer[], comparisons: Comparisons, from: number): number {
  let isCut = false;
  for (const way of ways) {
    const equal = comparisons.equalFrom(from, way);
    if (equal === way.length) return from + equal;
    isCut ||= from + equal === comparisons.bytes.length;
  }
  return isCut ? CUT : NOT_HERE;
}
