import { isUtf8 } from 'node:buffer';
import type { OutputSource } from './output-source.ts';

/**
 * A part of a stream as text. Invalid UTF-8 becomes U+FFFD by the Encoding Standard, a byte order mark is kept, and no
 * character is split: so a text never has fewer UTF-8 bytes than its source.
 */
export interface StreamText {
  /** Can be read once, in constant memory (a tail: as much as its limit). */
  readonly pieces: AsyncIterable<string>;
  /** Offset in the persisted stream after the last returned character; final once the pieces have been read. */
  nextOffset(): number;
  /** Whether the limit cut anything off; final once the pieces have been read. */
  truncated(): boolean;
}

/** A range of a stream as text. */
interface TextRange {
  /** UTF-8 bytes of text, at least 4. Default: no limit. */
  readonly limitBytes?: number;
  /** False if more bytes may follow; then a character that is cut off at the end is left out. */
  readonly ended: boolean;
}

const PIECE_BYTES = 64 * 1024;
/** Longest part of a character before or after a cut. */
const CONTEXT_BYTES = 3;

/** The text from byte `offset`, which may lie within a character: decoding starts there. */
export function textFrom(
  source: OutputSource,
  { offset, limitBytes = Infinity, ended }: TextRange & { offset: number },
): StreamText {
  requireLimit(limitBytes);
  const last = Math.min(source.size, offset + limitBytes);
  let position = offset;
  let truncated = last < source.size;

  async function* pieces(): AsyncGenerator<string> {
    let budget = limitBytes;
    let cutOff: Buffer = Buffer.alloc(0);
    for await (const chunk of source.read(offset, last)) {
      const bytes = cutOff.length > 0 ? Buffer.concat([cutOff, chunk]) : chunk;
      const whole = wholeLength(bytes);
      for (const piece of unitPieces(bytes.subarray(0, whole))) {
        const given = piece.subarray(0, fittingLength(piece, budget));
        position += given.length;
        budget -= textLength(given);
        if (given.length > 0) yield given.toString();
        if (given.length < piece.length) {
          truncated = true;
          return;
        }
      }
      cutOff = bytes.subarray(whole);
    }
    if (cutOff.length === 0 || !ended || last < source.size) return;
    if (budget < textLength(cutOff)) {
      truncated = true;
      return;
    }
    position += cutOff.length;
    yield cutOff.toString();
  }

  return { pieces: pieces(), nextOffset: () => position, truncated: () => truncated };
}

/** The last `limitBytes` of the text, or slightly less so that it begins with a whole character. */
export function tailText(source: OutputSource, { limitBytes, ended }: TextRange & { limitBytes: number }): StreamText {
  requireLimit(limitBytes);
  let start = 0;
  let position = source.size;

  async function* pieces(): AsyncGenerator<string> {
    const from = Math.max(0, source.size - limitBytes - 2 * CONTEXT_BYTES);
    const window = await readWindow(source, from);
    const end = ended ? window.length : wholeLength(window);
    const tail = window.subarray(0, end).subarray(unitStart(window, Math.max(0, end - limitBytes)));
    const dropped = lengthToDrop(tail, limitBytes);
    start = from + end - tail.length + dropped;
    position = from + end;
    for (const piece of unitPieces(tail.subarray(dropped))) yield piece.toString();
  }

  return { pieces: pieces(), nextOffset: () => position, truncated: () => start > 0 };
}

function requireLimit(limitBytes: number): void {
  if (limitBytes < CONTEXT_BYTES + 1) throw new RangeError(`limitBytes is ${limitBytes}: a character may need 4 bytes`);
}

/** Pieces of a whole number of units each; the last one takes the rest. */
function* unitPieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const rest = bytes.subarray(at);
    const piece = rest.length <= PIECE_BYTES ? rest : rest.subarray(0, wholeLength(rest.subarray(0, PIECE_BYTES)));
    yield piece;
    at += piece.length;
  }
}

/** UTF-8 bytes of the text that these bytes decode to. */
function textLength(bytes: Buffer): number {
  return isUtf8(bytes) ? bytes.length : Buffer.byteLength(bytes.toString());
}

/** How many bytes of a piece make whole characters of at most `budget` bytes of text. */
function fittingLength(piece: Buffer, budget: number): number {
  if (textLength(piece) <= budget) return piece.length;
  let at = 0;
  for (let left = budget; ; ) {
    const unit = utf8UnitAt(piece, at);
    left -= unitTextLength(unit);
    if (left < 0) return at;
    at += unit.length;
  }
}

/** How many bytes to drop from the front so that at most `limit` bytes of text remain. */
function lengthToDrop(tail: Buffer, limit: number): number {
  let excess = -limit;
  for (const piece of unitPieces(tail)) excess += textLength(piece);
  let at = 0;
  for (const piece of unitPieces(tail)) {
    const length = textLength(piece);
    if (length > excess) break;
    excess -= length;
    at += piece.length;
  }
  while (excess > 0) {
    const unit = utf8UnitAt(tail, at);
    excess -= unitTextLength(unit);
    at += unit.length;
  }
  return at;
}

function unitTextLength(unit: ReturnType<typeof utf8UnitAt>): number {
  return unit.kind === 'character' ? unit.length : Buffer.byteLength('\uFFFD');
}

async function readWindow(source: OutputSource, from: number): Promise<Buffer> {
  const window = Buffer.allocUnsafe(source.size - from);
  let filled = 0;
  for await (const chunk of source.read(from)) filled += chunk.copy(window, filled);
  return window.subarray(0, filled);
}

/** A unit of a byte sequence that is read as UTF-8. */
interface Utf8Unit {
  /** Bytes of the character, or of the ill-formed part that becomes one U+FFFD. */
  readonly length: number;
  /** `incomplete`: the bytes end within what may be a character. */
  readonly kind: 'character' | 'ill-formed' | 'incomplete';
}

/**
 * The unit that begins at `at`, decoded as in the WHATWG Encoding Standard: an ill-formed sequence is as long as the
 * bytes that could begin a character, and becomes one U+FFFD.
 */
function utf8UnitAt(bytes: Uint8Array, at: number): Utf8Unit {
  const lead = bytes[at] ?? 0;
  const length = characterLength(lead);
  if (length === 0) return { length: 1, kind: 'ill-formed' };
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return { length: i, kind: 'incomplete' };
    if (i === 1 ? !mayFollow(lead, byte) : !isContinuation(byte)) return { length: i, kind: 'ill-formed' };
  }
  return { length, kind: 'character' };
}

/** The length without a character that is cut off at the end. */
function wholeLength(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 3); at--) {
    if (isContinuation(bytes[at] ?? 0)) continue;
    return utf8UnitAt(bytes, at).kind === 'incomplete' ? at : bytes.length;
  }
  return bytes.length;
}

/**
 * The first position at or after `at` where a unit begins when all bytes are read from their start. Three bytes before
 * `at` are enough: every byte that is no continuation byte begins a unit, and no character is longer than four bytes.
 */
function unitStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > Math.max(0, at - 3) && isContinuation(bytes[start] ?? 0)) start--;
  while (start < at) start += utf8UnitAt(bytes, start).length;
  return start;
}

/** 0: no character begins with this byte. */
function characterLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

/** Whether a byte can be the second of a character: not in overlong forms, surrogates and values above U+10FFFF. */
function mayFollow(lead: number, byte: number): boolean {
  if (lead === 0xe0) return byte >= 0xa0 && byte <= 0xbf;
  if (lead === 0xed) return byte >= 0x80 && byte <= 0x9f;
  if (lead === 0xf0) return byte >= 0x90 && byte <= 0xbf;
  if (lead === 0xf4) return byte >= 0x80 && byte <= 0x8f;
  return isContinuation(byte);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
