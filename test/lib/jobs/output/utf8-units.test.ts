import { describe, expect, it } from 'vitest';
import { utf8UnitAt } from '../../../../lib/jobs/output/utf8-units.ts';

/** Bytes at and beside every bound of UTF-8: of continuation bytes, leads, and second bytes with narrower ranges. */
const BOUNDS = [
  0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
  0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
] as const;

/** Every pair of those bytes, also followed by one and two continuation bytes and by a letter. */
const SEQUENCES = BOUNDS.flatMap((first) =>
  BOUNDS.flatMap((second) =>
    [[], [0x80], [0xbf, 0x80], [0x41], [0x80, 0x41], [0x80, 0xc0]].map((rest) =>
      Uint8Array.from([first, second, ...rest]),
    ),
  ),
);

/** The text that the units of bytes make, one by one. */
function decoded(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const { kind, length } = utf8UnitAt(bytes, at);
    text += kind === 'character' ? Buffer.from(bytes.subarray(at, at + length)).toString() : '\ufffd';
    at += length;
  }
  return text;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('units of bytes', () => {
  it('become the text that a decoder of the platform makes', () => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const different = SEQUENCES.filter((bytes) => decoded(bytes) !== decoder.decode(bytes));
    expect(different.map(hex)).toEqual([]);
  });

  it('are incomplete only where more bytes could make a character', () => {
    const isPrefix = (bytes: Uint8Array) =>
      BOUNDS.some((next) =>
        [[next], [next, 0x80], [next, 0x80, 0x80]].some(
          (rest) => utf8UnitAt(Uint8Array.from([...bytes, ...rest]), 0).length > bytes.length,
        ),
      );
    const cut = SEQUENCES.flatMap((bytes) => [bytes.subarray(0, 1), bytes.subarray(0, 2), bytes.subarray(0, 3)]);
    const wrong = cut.filter((bytes) => {
      const { kind, length } = utf8UnitAt(bytes, 0);
      return kind === 'incomplete'
        ? length !== bytes.length || !isPrefix(bytes)
        : length === bytes.length && isPrefix(bytes);
    });
    expect(wrong.map(hex)).toEqual([]);
    expect(utf8UnitAt(Uint8Array.of(0xe2, 0x82), 0)).toEqual({ length: 2, kind: 'incomplete' });
    expect(utf8UnitAt(Uint8Array.of(0xe0, 0x80), 0)).toEqual({ length: 1, kind: 'ill-formed' });
  });
});
