import { MASK } from '../../lib/contract/mask.ts';
import { type Spelling, spellingsOf } from './spellings.ts';

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

/** A spelling as bytes. Neighbouring pieces with a single way to write them are joined. */
type Pattern = readonly (readonly Buffer[])[];

/** What begins at a position. */
interface Match {
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

/** Shorter equal parts are compared again. */
const REMEMBERED_BYTES = 64;

/**
 * Compares bytes with spellings of secrets. The time is linear in the number of bytes, whatever repeats itself in them and
 * in a spelling: bytes that were equal are looked up in the spelling's own repetitions (the Z algorithm).
 */
class Comparisons {
  readonly bytes: Buffer;
  /** By spelling, the last bytes that were equal to its beginning. */
  readonly #equal = new Map<Buffer, { readonly from: number; readonly to: number }>();

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** How many bytes from a position are equal to the beginning of a spelling. */
  equalFrom(at: number, spelling: Buffer): number {
    const { bytes } = this;
    const known = this.#equal.get(spelling);
    let equal = 0;
    if (known !== undefined && at >= known.from && at < known.to) {
      equal = known.to - at;
      const repeated = repetitionsOf(spelling)[at - known.from] as number;
      if (repeated < equal) return repeated;
    }
    const most = Math.min(spelling.length, bytes.length - at);
    while (equal < most && spelling[equal] === bytes[at + equal]) equal += 1;
    if (equal >= REMEMBERED_BYTES) this.#equal.set(spelling, { from: at, to: at + equal });
    return equal;
  }
}

const REPETITIONS = new WeakMap<Buffer, Uint32Array>();

/** By position in a spelling, how many bytes from there are equal to its beginning. */
function repetitionsOf(spelling: Buffer): Uint32Array {
  const known = REPETITIONS.get(spelling);
  if (known !== undefined) return known;
  const { length } = spelling;
  const repetitions = new Uint32Array(length).fill(length, 0, 1);
  let [from, to] = [0, 0];
  for (let at = 1; at < length; at += 1) {
    let equal = at < to ? Math.min(repetitions[at - from] as number, to - at) : 0;
    while (at + equal < length && spelling[equal] === spelling[at + equal]) equal += 1;
    repetitions[at] = equal;
    if (at + equal > to) [from, to] = [at, at + equal];
  }
  REPETITIONS.set(spelling, repetitions);
  return repetitions;
}
