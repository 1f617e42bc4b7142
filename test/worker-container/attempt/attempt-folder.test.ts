import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { attemptFolder } from '../../../worker-container/attempt/attempt-files.ts';

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

it('the folder of an attempt is removed without what its links lead to', async () => {
  await mkdir(join(folder, 'home', 'a', 'b', 'c'), { recursive: true });
  await writeFile(join(folder, 'home', 'a', 'b', 'c', 'd'), '');
  await mkdir(join(folder, 'temp'));
  for (let n = 0; n < 50; n += 1) await writeFile(join(folder, 'temp', `file-${n}`), '');
  await symlink(kept, join(folder, 'link'));
  await symlink(kept, join(folder, 'temp', 'link'));
  await symlink(join(kept, 'file'), join(folder, 'temp', 'file'));
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

it('what an earlier worker left is removed, and only a passable folder lets other accounts through', async () => {
  const left = join(root, 'attempts', 'job-2');
  await mkdir(left);
  await writeFile(join(left, 'file'), '');
  expect(await attemptFolder.make(left, { isPassable: false })).toBe(left);
  const mode = (path: string) => statSync(path).mode & 0o777;
  expect([await readdir(left), mode(left), mode(join(root, 'attempts'))]).toEqual([[], 0o700, 0o700]);
  await attemptFolder.remove(left);
  await attemptFolder.make(left, { isPassable: true });
  expect([mode(left), mode(join(root, 'attempts'))]).toEqual([0o711, 0o711]);
  await attemptFolder.remove(left);
});
