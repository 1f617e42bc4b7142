import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { type MovedFolder, movedPath, movedSession } from '../../../worker-container/forks/moved-session.ts';

/** A session after its move, given in parts of a number of bytes. */
async function moved(text: string, folder: MovedFolder, bytes = Infinity): Promise<string> {
  const whole = Buffer.from(text);
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < whole.length; at += bytes) yield whole.subarray(at, at + bytes);
  }
  return (await buffer(movedSession(parts(), folder))).toString();
}

const FOLDER = { from: '/work/one', to: '/work/a-longer-two' };
const LINES = '{"cwd":"/work/one"}\n{"text":"ä /work/one/file and /work/one"}\n{"last":"/work/one"}';

it('the old folder is replaced wherever it stands, however the session is cut', async () => {
  const expected = LINES.replaceAll(FOLDER.from, FOLDER.to);
  for (const bytes of [1, 2, 3, 7, 20, 1_000]) expect(await moved(LINES, FOLDER, bytes)).toBe(expected);
  expect(await moved(`${LINES}\n`, FOLDER, 5)).toBe(`${expected}\n`);
  expect(await moved('', FOLDER)).toBe('');
});

it('folders are replaced as JSON writes them', async () => {
  const folder = { from: '/work/"one" ü\\x', to: '/work/"two"' };
  const line = (cwd: string) => `${JSON.stringify({ cwd })}\n`;
  expect(await moved(line(folder.from), folder, 4)).toBe(line(folder.to));
});

it('the folder of a session that is named after the working folder is moved too', () => {
  expect(movedPath('projects/-work-one/s.jsonl', FOLDER)).toBe('projects/-work-a-longer-two/s.jsonl');
  expect(movedPath('2026/11/s.jsonl', FOLDER)).toBe('2026/11/s.jsonl');
});
