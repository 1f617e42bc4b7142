import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rotateLog } from '../../../../lib/local/logs/rotate-log.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => await rm(folder, { recursive: true }));

const path = () => join(folder, 'log');
const write = async (text: string) => await writeFile(path(), text);
async function files(): Promise<Record<string, string>> {
  const names = (await readdir(folder)).toSorted();
  const texts = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')]));
  return Object.fromEntries(texts) as Record<string, string>;
}

test('a rotated log is renamed, and the last three are kept', async () => {
  for (const text of ['1', '2', '3', '4']) {
    await write(text);
    rotateLog(path());
  }
  expect(await files()).toEqual({ 'log.1': '4', 'log.2': '3', 'log.3': '2' });
  rotateLog(path());
  await write('');
  rotateLog(path());
  expect(await files()).toEqual({ log: '', 'log.1': '4', 'log.2': '3', 'log.3': '2' });
});
