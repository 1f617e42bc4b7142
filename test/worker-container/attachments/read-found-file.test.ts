import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openFound, UnreadableFileError } from '../../../worker-container/attachments/read-found-file.ts';

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
