import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openFound, pieces, UnreadableFileError } from '../../../worker-container/attachments/read-found-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => await rm(folder, { recursive: true }));

const own = process.getuid?.() ?? 0;

it('a file is opened if it belongs to its owner and is still a file', async () => {
  const path = join(folder, 'file');
  await writeFile(path, 'text');
  for (const owner of [own, undefined]) await (await openFound(path, owner)).close();
  await expect(openFound(path, own + 1)).rejects.toThrow(UnreadableFileError);
});

it('what has replaced a file since is not read, and is waited for by nothing', async () => {
  await writeFile(join(folder, 'target'), 'text');
  await symlink(join(folder, 'target'), join(folder, 'link'));
  await mkdir(join(folder, 'folder'));
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  for (const name of ['link', 'folder', 'fifo', 'none'])
    await expect(openFound(join(folder, name), undefined)).rejects.toThrow(UnreadableFileError);
});

it('a file is read in pieces of 256 KiB, up to the size that it was found with, and hashed', async () => {
  const path = join(folder, 'long');
  const content = Buffer.from(Array.from({ length: 600_000 }, (_, at) => at % 251));
  await writeFile(path, content);
  const file = await openFound(path, own);
  const hash = createHash('sha256');
  const read: Buffer[] = [];
  for await (const piece of pieces(file, 590_000, hash)) read.push(Buffer.from(piece));
  expect(read.map(({ length }) => length)).toEqual([262_144, 262_144, 65_712]);
  expect(Buffer.concat(read).equals(content.subarray(0, 590_000))).toBe(true);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(content.subarray(0, 590_000)).digest('hex'));
  await truncate(path, 300_000);
  const shorter = async () => {
    for await (const _ of pieces(file, 590_000, createHash('sha256')));
  };
  await expect(shorter()).rejects.toThrow('it has become shorter');
  await file.close();
});
