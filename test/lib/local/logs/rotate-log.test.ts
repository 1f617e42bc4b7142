import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { emptyLog, LOG_BYTES, rotateLog } from '../../../../lib/local/logs/rotate-log.ts';

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

test('a log is moved beside the next one, and the last three are kept', async () => {
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

test('a log that is longer than it may be is copied and emptied in its place', async () => {
  await write('123');
  emptyLog(path(), 3);
  expect(await files()).toEqual({ log: '123' });
  await write('1234');
  emptyLog(path(), 3);
  await write('5678');
  emptyLog(path(), 3);
  expect(await files()).toEqual({ log: '', 'log.1': '5678', 'log.2': '1234' });
  emptyLog(join(folder, 'none'), 3);
  expect(Object.keys(await files())).toEqual(['log', 'log.1', 'log.2']);
});

test('a log that cannot take its place beside the next one stays as it is', async () => {
  await write('1234');
  const others = ['log.1', 'log.2', 'log.3'];
  for (const other of others) await mkdir(join(folder, other, 'a'), { recursive: true });
  emptyLog(path(), 3);
  expect([await readFile(path(), 'utf8'), (await readdir(folder)).toSorted()]).toEqual(['1234', ['log', ...others]]);
});

test('a run keeps ten mebibytes in each file', () => {
  expect(LOG_BYTES).toBe(10_485_760);
});
