import { expect, it } from 'vitest';
import { lineChanges } from '../../../../lib/vendors/timeline/line-changes.ts';
import { createLineReader } from '../../../../lib/vendors/timeline/line-reader.ts';
import { withoutShell } from '../../../../lib/vendors/timeline/without-shell.ts';

/** The lines of pieces, each with its first byte and its time. */
function read(pieces: readonly (readonly [text: string, at?: number])[], { from = 0, fromMiddle = false } = {}) {
  const found: (readonly [text: string, offset: number, at: number | undefined])[] = [];
  const reader = createLineReader((...line) => found.push(line), fromMiddle);
  let offset = from;
  for (const [text, at] of pieces) {
    reader.push({ text, offset, at });
    offset += Buffer.byteLength(text);
  }
  reader.flush();
  return found;
}

it('each line has the byte at which it begins, and the time of the piece that ends it', () => {
  expect(
    read(
      [
        ['é\nb', 1],
        ['c', 2],
        ['\n\nd\n', 3],
        ['', 4],
        ['end', 5],
      ],
      { from: 100 },
    ),
  ).toEqual([
    ['é', 100, 1],
    ['bc', 103, 3],
    ['', 106, 3],
    ['d', 107, 3],
    ['end', 109, undefined],
  ]);
  expect(read([])).toEqual([]);
});

it('a first line that was cut is skipped, and only that', () => {
  expect(read([['half'], [' a line\nwhole\n'], ['last']], { fromMiddle: true })).toEqual([
    ['whole', 12, undefined],
    ['last', 18, undefined],
  ]);
});

it('a line is read as JSON of any agent, unless it is too long or no object', () => {
  const none = () => undefined;
  const error = (message: string) => JSON.stringify({ type: 'error', message });
  const least = error('').length;
  const most = 8 * 1024 * 1024;
  expect(lineChanges(error('a'), none)).toEqual([{ event: { kind: 'error', text: 'a' } }]);
  expect(lineChanges('{"method":"other"}', none)).toEqual([]);
  expect(lineChanges('{"type":"rate_limit_event"}', none)).toEqual([]);
  expect(lineChanges(error('a'.repeat(most - least)), none)).toHaveLength(1);
  expect(lineChanges(error('a'.repeat(most - least + 1)), none)).toBeUndefined();
  for (const text of [` ${error('a')}`, '{"type":', 'null', '']) expect(lineChanges(text, none)).toBeUndefined();
});

it.each([
  [`/bin/bash -lc 'ls -l'`, 'ls -l'],
  [`/usr/bin/zsh -c 'a'\\''b'`, `a'b`],
  [`/bin/sh -lc "echo \\"\\$a\\" \\\\ \\n"`, `echo "$a" \\ \\n`],
  [`/bin/dash -c 'a\nb'`, 'a\nb'],
  ['bash -lc "ls"', 'bash -lc "ls"'],
  [`/bin/bash -lc 'ls"`, `/bin/bash -lc 'ls"`],
  [`/bin/bash -lc 'ls' x`, `/bin/bash -lc 'ls' x`],
  [`/bin/fish -c 'ls'`, `/bin/fish -c 'ls'`],
  ['ls', 'ls'],
])('the command %s is shown as the agent wrote it', (command, written) => {
  expect(withoutShell(command)).toBe(written);
});
