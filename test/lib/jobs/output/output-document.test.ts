import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentStream, exceedsAsJson } from '../../../../lib/jobs/output/output-document.ts';
import type { OutputSource } from '../../../../lib/jobs/output/output-source.ts';
import { tailText } from '../../../../lib/jobs/output/output-text.ts';

test('a document is the JSON of its members and texts', async () => {
  const pieces = fc.array(fc.string({ unit: 'binary' }));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), pieces, pieces, async (meta, stdout, stderr) => {
      const document = documentStream(
        { ...meta, id: 'job_1' },
        { stdout: Readable.from(stdout), stderr: Readable.from(stderr) },
      );
      const expected = { ...meta, id: 'job_1', stdout: stdout.join(''), stderr: stderr.join('') };
      expect(JSON.parse(await text(document))).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
  );
});

test('members that are known only after reading come last', async () => {
  const tail = tailText(source(Buffer.from('a long text')), { limitBytes: 4, ended: true });
  const after = () => ({ next_offset: tail.nextOffset(), stdout_truncated: tail.truncated() });
  const document = documentStream({ id: 'job_1' }, { stdout: tail.pieces }, after);
  expect(await text(document)).toBe('{"id":"job_1","stdout":"text","next_offset":11,"stdout_truncated":true}');
});

test('a document needs neither members nor texts', async () => {
  expect(await text(documentStream({}, {}))).toBe('{}');
  expect(await text(documentStream({}, {}, () => ({ a: 1 })))).toBe('{"a":1}');
  expect(await text(documentStream({}, { stderr: Readable.from(['x']) }))).toBe('{"stderr":"x"}');
});

test('a document whose text fails is broken off, not ended', async () => {
  async function* failing() {
    yield 'some';
    throw new Error('bytes are missing');
  }
  await expect(text(documentStream({ id: 'job_1' }, { stdout: failing() }))).rejects.toThrow('bytes are missing');
});

test('text is taken only as fast as the document is read', async () => {
  let taken = 0;
  async function* endless() {
    for (;;) {
      taken += 1;
      yield 'x'.repeat(65_536);
    }
  }
  const document = documentStream({ id: 'job_1' }, { stdout: endless() });
  const reader = document[Symbol.asyncIterator]();
  for (let i = 0; i < 10; i++) await reader.next();
  expect(taken).toBeLessThan(20);
  document.destroy();
});

test('whether output is too large for an answer is judged by its JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 600 }), async (bytes, limit) => {
      const json = JSON.stringify(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      expect(await exceedsAsJson([source(Buffer.from(bytes))], limit)).toBe(Buffer.byteLength(json) - 2 > limit);
    }),
    { numRuns: 1_000 },
  );
});

test('both streams count together, and are not read if their sizes suffice', async () => {
  const unreadable = (size: number): OutputSource => ({
    size,
    read() {
      throw new Error('read without need');
    },
  });
  expect(await exceedsAsJson([unreadable(50), unreadable(51)], 100)).toBe(true);
  expect(await exceedsAsJson([unreadable(8), unreadable(8)], 100)).toBe(false);
  expect(await exceedsAsJson([source(Buffer.alloc(10)), source(Buffer.alloc(10))], 119)).toBe(true);
  expect(await exceedsAsJson([source(Buffer.alloc(10)), source(Buffer.alloc(10))], 120)).toBe(false);
});

function source(bytes: Buffer): OutputSource {
  return {
    size: bytes.length,
    async *read(from = 0, to = bytes.length) {
      yield bytes.subarray(from, to);
    },
  };
}
