import { expect, test } from 'vitest';
import { createJsonLines } from '../../../../lib/vendors/output/json-lines.ts';

function collect(maxLineBytes?: number) {
  const values: unknown[] = [];
  return { values, lines: createJsonLines((value) => values.push(value), { maxLineBytes }) };
}

test('several lines in one chunk and one line in several chunks are all read', () => {
  const { values, lines } = collect();
  for (const piece of ['{}\n{"b":2}\n{"a"', ':', '3}\n', '\n', ' {"c":4} \r\n']) lines.push(Buffer.from(piece));
  expect(values).toEqual([{}, { b: 2 }, { a: 3 }, { c: 4 }]);
});

test('a line that is no JSON object is skipped', () => {
  const { values, lines } = collect();
  lines.push(Buffer.from('WARNING: hm\n{}\n{"cut\n{cut}\n"{}"\n{"a":2}\n'));
  expect(values).toEqual([{}, { a: 2 }]);
});

test.for([1, 4, 1_000])('a line over the limit is skipped and the next one read, in pieces of %i', (size) => {
  const { values, lines } = collect(10);
  const bytes = Buffer.from('{"a":1234}\n{"a":12345}\n{"a":0}\n');
  for (let start = 0; start < bytes.length; start += size) lines.push(bytes.subarray(start, start + size));
  expect(values).toEqual([{ a: 1234 }, { a: 0 }]);
});

test('an endless line is discarded', () => {
  const { lines } = collect();
  const chunk = Buffer.alloc(1024 * 1024, 'a');
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 400; count += 1) lines.push(chunk);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 1024 * 1024);
});

test('of lines that need not all be read, those that mention one of the texts are', () => {
  const values: unknown[] = [];
  const lines = createJsonLines((value) => values.push(value), { mentioning: ['one', 'two'] });
  for (const piece of ['{"a":"o', 'ne"}\n{"a":"other"}\n', '{"a":"a two"}\n']) lines.push(Buffer.from(piece));
  expect(values).toEqual([{ a: 'one' }, { a: 'a two' }]);
});
