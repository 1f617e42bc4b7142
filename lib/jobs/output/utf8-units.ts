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
export function utf8UnitAt(bytes: Uint8Array, at: number): Utf8Unit {
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
export function wholeLength(bytes: Uint8Array): number {
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
export function unitStart(bytes: Uint8Array, at: number): number {
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
