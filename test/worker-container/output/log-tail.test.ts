import { expect, it } from 'vitest';
import { LogTail } from '../../../worker-container/output/log-tail.ts';

const KEPT = 16 * 1024;

function tailOf(...chunks: readonly string[]) {
  const tail = new LogTail();
  for (const chunk of chunks) tail.push(Buffer.from(chunk));
  return tail.end();
}

it('a log is kept whole up to its limit, and beyond it its end is', () => {
  expect(tailOf()).toEqual({ log: '', truncated: false });
  expect(tailOf('one ', 'two')).toEqual({ log: 'one two', truncated: false });
  expect(tailOf('x'.repeat(KEPT))).toEqual({ log: 'x'.repeat(KEPT), truncated: false });
  expect(tailOf('ab', 'x'.repeat(KEPT - 1))).toEqual({ log: `b${'x'.repeat(KEPT - 1)}`, truncated: true });
  // It stays cut, whatever follows.
  expect(tailOf('y', 'x'.repeat(KEPT), '')).toEqual({ log: 'x'.repeat(KEPT), truncated: true });
});

it('a character that is cut in two at the beginning is dropped', () => {
  for (const character of ['ä', '€', '😀']) {
    const bytes = Buffer.byteLength(character);
    for (let cut = 1; cut < bytes; cut += 1) {
      const rest = 'x'.repeat(KEPT - bytes + cut);
      expect(tailOf(`a${character}`, rest)).toEqual({ log: rest, truncated: true });
    }
    const whole = `${character}${'x'.repeat(KEPT - bytes)}`;
    expect(tailOf(`a${whole}`)).toEqual({ log: whole, truncated: true });
  }
});
