import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAttachments } from '../../../worker-container/attachments/find-attachments.ts';

const LIMITS = { count: 3, fileBytes: 10, totalBytes: 20, pathBytes: 20, depth: 3 };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => await rm(folder, { recursive: true }));
const write = async (path: string, bytes: number) => await writeFile(join(folder, path), Buffer.alloc(bytes));

test('what passes a limit is left, and the rest is kept', async () => {
  await write('too-large', 11);
  await mkdir(join(folder, 'a/b/c'), { recursive: true });
  await write('a/b/fits', 10);
  await write('a/b/c/too-deep', 1);
  await write('a-name-that-is-too-long', 1);
  const { files, left } = await findAttachments(folder, LIMITS);
  expect(files).toEqual([{ path: 'a/b/fits', bytes: 10 }]);
  expect(Object.fromEntries(left)).toEqual({ size: 1, depth: 1, name: 1 });
});

test('no more files are kept than the limit says, and no more bytes', async () => {
  for (const name of ['1', '2', '3', '4', '5']) await write(name, 1);
  const many = await findAttachments(folder, LIMITS);
  expect([many.files.length, Object.fromEntries(many.left)]).toEqual([3, { count: 2 }]);
  for (const name of ['1', '2', '3', '4', '5']) await write(name, 9);
  const large = await findAttachments(folder, LIMITS);
  expect([large.files.length, Object.fromEntries(large.left)]).toEqual([2, { total: 3 }]);
});

test('a link is never followed, not even to a folder within', async () => {
  await mkdir(join(folder, 'in'));
  await symlink('..', join(folder, 'in/up'));
  await symlink('/etc', join(folder, 'etc'));
  const { files, left } = await findAttachments(folder, LIMITS);
  expect([files, Object.fromEntries(left)]).toEqual([[], { kind: 2 }]);
});

test('a missing folder is an error', async () => {
  await expect(findAttachments(join(folder, 'missing'), LIMITS)).rejects.toThrow('ENOENT');
});
