import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OutputSource } from '../../../../lib/jobs/output/output-source.ts';
import { type StreamText, tailText, textFrom } from '../../../../lib/jobs/output/output-text.ts';

/** Keeps a byte order mark, as the text does. */
const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Characters of every length, ill-formed sequences, and plain noise. */
const bytes = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', '\n', 'é', 'ß', '€', '\uFEFF', '\uFFFD', '😀', '𝄞').map((text) => Buffer.from(text)),
      fc.constantFrom([0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90], [0xe0, 0x80]),
      fc.uint8Array({ minLength: 1, maxLength: 5 }),
      fc.array(fc.integer({ min: 0x80, max: 0xbf }), { minLength: 1, maxLength: 6 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part))));

const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 10 });

test('a tail is the end of the text as a decoder of the whole stream returns it', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, cuts, fc.integer({ min: 4, max: 60 }), async (all, sizes, limitBytes) => {
      const tail = tailText(source(all, sizes), { limitBytes, ended: true });
      const whole = decode(all);
      const expected = lastBytes(whole, limitBytes);
      expect(await read(tail)).toBe(expected);
      expect(tail.nextOffset()).toBe(all.length);
      expect(tail.truncated()).toBe(expected !== whole);
    }),
    { numRuns: 3_000 },
  );
});

test('a tail of a live stream omits an incomplete character', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 4, max: 60 }), async (all, limitBytes) => {
      const tail = tailText(source(all, [3]), { limitBytes, ended: false });
      const text = await read(tail);
      const whole = Buffer.from(all.subarray(0, tail.nextOffset()));
      expect(text).toBe(lastBytes(decode(whole), limitBytes));
      expect(all.length - whole.length).toBe(begunAtEnd(all));
    }),
    { numRuns: 2_000 },
  );
});

test('reading on from each next offset gives the whole text, whatever the limit and however the stream grows', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, cuts, fc.integer({ min: 4, max: 20 }), cuts, async (all, sizes, limitBytes, growth) => {
      let text = '';
      let offset = 0;
      let there = 0;
      for (let round = 0; there < all.length; round++) {
        there = Math.min(all.length, there + (growth[round % growth.length] ?? 1));
        const part = textFrom(source(all.subarray(0, there), sizes), { offset, limitBytes, ended: false });
        const piece = await read(part);
        expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(limitBytes);
        text += piece;
        offset = part.nextOffset();
      }
      for (let more = true; more; ) {
        const part = textFrom(source(all, sizes), { offset, limitBytes, ended: true });
        const piece = await read(part);
        expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(limitBytes);
        text += piece;
        more = part.truncated();
        expect(!more || part.nextOffset() > offset).toBe(true);
        offset = part.nextOffset();
      }
      expect(text).toBe(decode(all));
      expect(offset).toBe(all.length);
    }),
    { numRuns: 2_000 },
  );
});

test('text from within a character is decoded from there', async () => {
  const part = textFrom(source(Buffer.from('€uro'), [9]), { offset: 1, ended: true });
  expect(await read(part)).toBe('\uFFFD\uFFFDuro');
});

test('text from beyond the end is empty and continues from the same offset', async () => {
  const part = textFrom(source(Buffer.from('abc'), [9]), { offset: 7, ended: true });
  expect(await read(part)).toBe('');
  expect(part.nextOffset()).toBe(7);
  expect(part.truncated()).toBe(false);
});

test('a limit too small for a character is rejected', () => {
  expect(() => tailText(source(Buffer.from('abc'), [1]), { limitBytes: 3, ended: true })).toThrow(RangeError);
  expect(() => textFrom(source(Buffer.from('abc'), [1]), { offset: 0, limitBytes: 3, ended: true })).toThrow(
    RangeError,
  );
});

/** Bytes that come in chunks of the given sizes, repeatedly. */
function source(all: Buffer, sizes: number[]): OutputSource {
  return {
    size: all.length,
    async *read(from = 0, to = all.length) {
      let at = from;
      for (let i = 0; at < Math.min(to, all.length); i++) {
        const end = Math.min(at + (sizes[i % sizes.length] ?? 1), to, all.length);
        yield all.subarray(at, end);
        at = end;
      }
    },
  };
}

async function read(text: StreamText): Promise<string> {
  return (await Array.fromAsync(text.pieces)).join('');
}

function lastBytes(text: string, limit: number): string {
  const characters = Array.from(text);
  let length = Buffer.byteLength(text);
  let first = 0;
  while (length > limit) length -= Buffer.byteLength(characters[first++] ?? '');
  return characters.slice(first).join('');
}

/** Bytes at the end that a decoder waits with: those that a following byte could still turn into a character. */
function begunAtEnd(all: Buffer): number {
  for (let length = Math.min(3, all.length); length > 0; length--) {
    const end = all.subarray(all.length - length);
    const streamed = new TextDecoder('utf-8', { ignoreBOM: true }).decode(end, { stream: true });
    const head = decode(all.subarray(0, all.length - length));
    if (streamed === '' && head + decode(end) === decode(all)) return length;
  }
  return 0;
}
