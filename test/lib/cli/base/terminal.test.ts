import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Terminal } from '../../../../lib/cli/base/terminal.ts';
import { harmless } from '../../../../lib/contract/input/harmless.ts';
import { collectedOutput } from '../../../local-run/collected-output.ts';

/** A terminal, or a file, and what was written to stdout and stderr. */
function terminalOn({ isTTY = false, hasColors = false } = {}) {
  const written = { out: '', err: '' };
  const stream = (name: keyof typeof written) =>
    Object.assign(
      new Writable({
        // Full after every write, so that each has to wait until it is taken.
        highWaterMark: 1,
        write(chunk: Buffer, _, done) {
          written[name] += chunk.toString();
          setImmediate(done);
        },
      }),
      { isTTY, hasColors: () => hasColors },
    );
  return { written, terminal: new Terminal(stream('out'), stream('err')) };
}

it('terminal controls are replaced by visible characters', () => {
  expect(harmless('a\tb\r\nc\n')).toBe('a\tb\nc\n');
  expect(harmless('\r\u0000\u001b\u001f')).toBe('␍␀␛␟');
  expect(harmless('\u007f\u0085\u202e\u2028\u2029')).toBe('\ufffd'.repeat(5));
  expect(harmless('ä😀 ~')).toBe('ä😀 ~');
});

describe('output of a job', () => {
  it('is written unchanged to a file', async () => {
    const { terminal, written } = terminalOn();
    await terminal.copy('stdout', '\u001b[31mred\r\n');
    await terminal.copy('stderr', '\u0007');
    expect(written).toEqual({ out: '\u001b[31mred\r\n', err: '\u0007' });
  });

  it('is written without terminal controls to a terminal', async () => {
    const { terminal, written } = terminalOn({ isTTY: true });
    await terminal.copy('stdout', '\u001b[31mred\r\n');
    await terminal.copy('stderr', '\u0007');
    expect(written).toEqual({ out: 'red\n', err: '␇' });
  });
});

it('an answer is written byte for byte to a file, and without terminal controls to a terminal', async () => {
  const bytes = Buffer.from([0x61, 0xff, 0x1b]);
  const file = collectedOutput();
  await new Terminal(file.stream, file.stream).copyBytes(bytes, '\n');
  const { terminal, written } = terminalOn({ isTTY: true });
  await terminal.copyBytes(bytes, '\n');
  expect([file.bytes(), written.out]).toEqual([Buffer.concat([bytes, Buffer.from('\n')]), 'a\ufffd␛\n']);
});

it('a job’s line that writes over itself is shown in its last state, however it is cut into pieces', async () => {
  const bar = Array.from({ length: 200 }, (_, at) => `\r\u001b[32m${at + 1}%`).join('');
  const show = async (...pieces: readonly string[]) => {
    const { terminal, written } = terminalOn({ isTTY: true });
    for (const piece of pieces) await terminal.copy('stdout', piece);
    return written.out;
  };
  expect(await show(`start\n${bar}\u001b[0m\nend\n`)).toBe('start\n200%\nend\n');
  expect(await show('1%', '\r', '2%\u001b', '[32m\r3', '%\r\n', 'a\rb\n')).toBe('1%\r\u001b[K2%\r\u001b[K3%\nb\n');
  expect(await show('a\r', '\nb\u001b[2', 'Jc\u001b]0;title\u0007d\u009b2J')).toBe('a\nbcd');
  for (const piece of ['\u001b', '\u001b[2J', '\u001b]0;t\u0007', '\u009b31m', '\u202e', '\u001bc'])
    expect((await show(...`x${piece}y`)).replaceAll('\r\u001b[K', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
});
