import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { attemptFolder } from '../../../worker-container/attempt/attempt-folder.ts';

let root: string;
let folder: string;
let kept: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  folder = join(root, 'attempts', 'job-1');
  kept = join(root, 'kept');
  await mkdir(kept);
  await writeFile(join(kept, 'file'), 'of another job');
  await attemptFolder.make(folder, { isPassable: false });
});
afterEach(async () => {
  await attemptFolder.remove(folder);
  await rm(root, { recursive: true, force: true });
});

const many = Array.from({ length: 50 }, (_, n) => `file-${n}`);

it.each<[string, () => Promise<unknown>]>([
  ['nothing', async () => undefined],
  [
    'a file and folders of few files',
    async () => {
      await writeFile(join(folder, 'login'), '');
      await mkdir(join(folder, 'agent'));
      await writeFile(join(folder, 'agent', 'script.sh'), 'true');
      await mkdir(join(folder, 'cache', 'npm'), { recursive: true });
    },
  ],
  [
    'a deep tree',
    async () => {
      await mkdir(join(folder, 'home', 'a', 'b', 'c'), { recursive: true });
      await writeFile(join(folder, 'home', 'a', 'b', 'c', 'd'), '');
    },
  ],
  [
    'a folder of many files',
    async () => {
      await mkdir(join(folder, 'temp'));
      for (const name of many) await writeFile(join(folder, 'temp', name), '');
    },
  ],
  [
    'links to files and folders outside',
    async () => {
      await mkdir(join(folder, 'temp'));
      await symlink(kept, join(folder, 'link'));
      await symlink(kept, join(folder, 'temp', 'link'));
      await symlink(join(kept, 'file'), join(folder, 'temp', 'file'));
    },
  ],
  [
    'a folder that may not be written to',
    async () => {
      await mkdir(join(folder, 'home', '.config', 'x'), { recursive: true });
      await chmod(join(folder, 'home', '.config'), 0o500);
      if (process.geteuid?.() !== 0) await chmod(join(folder, 'home', '.config'), 0o700);
    },
  ],
])('the folder of an attempt that left %s is removed, and nothing else', async (_what, leave) => {
  await leave();
  await attemptFolder.remove(folder);
  expect(existsSync(folder)).toBe(false);
  expect(await readdir(kept)).toEqual(['file']);
});

it('an attempt that has lost its job keeps its folder from the next one, which gets the usual one again later', async () => {
  await writeFile(join(folder, 'file'), 'of the lost attempt');
  const other = await attemptFolder.make(folder, { isPassable: false });
  expect(other.startsWith(`${folder}-`)).toBe(true);
  await attemptFolder.remove(other);
  expect(await readdir(folder)).toEqual(['file']);
  await attemptFolder.remove(folder);
  expect(await attemptFolder.make(folder, { isPassable: false })).toBe(folder);
  expect(await readdir(folder)).toEqual([]);
});
