import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs';
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

it.each<[string, number, () => Promise<unknown>]>([
  ['nothing', 0, async () => undefined],
  [
    'a file and folders of few files',
    0,
    async () => {
      await writeFile(join(folder, 'login'), '');
      await mkdir(join(folder, 'agent'));
      await writeFile(join(folder, 'agent', 'script.sh'), 'true');
      await mkdir(join(folder, 'cache', 'npm'), { recursive: true });
    },
  ],
  [
    'a deep tree',
    1,
    async () => {
      await mkdir(join(folder, 'home', 'a', 'b', 'c'), { recursive: true });
      await writeFile(join(folder, 'home', 'a', 'b', 'c', 'd'), '');
    },
  ],
  [
    'a folder of many files',
    1,
    async () => {
      await mkdir(join(folder, 'temp'));
      for (const name of many) await writeFile(join(folder, 'temp', name), '');
    },
  ],
  [
    'links to files and folders outside',
    0,
    async () => {
      await mkdir(join(folder, 'temp'));
      await symlink(kept, join(folder, 'link'));
      await symlink(kept, join(folder, 'temp', 'link'));
      await symlink(join(kept, 'file'), join(folder, 'temp', 'file'));
    },
  ],
  [
    'a folder that may not be written to',
    1,
    async () => {
      await mkdir(join(folder, 'home', '.config', 'x'), { recursive: true });
      await chmod(join(folder, 'home', '.config'), 0o500);
      if (process.geteuid?.() !== 0) await chmod(join(folder, 'home', '.config'), 0o700);
    },
  ],
])(
  'the folder of an attempt that left %s is removed with %i processes, and nothing else',
  async (_what, most, leave) => {
    await leave();
    let started = 0;
    const onProcess = () => {
      started += 1;
    };
    subscribe('child_process', onProcess);
    await attemptFolder.remove(folder);
    unsubscribe('child_process', onProcess);
    expect(started).toBe(most);
    const open = readdirSync('/proc/self/fd').map((one) => {
      try {
        return readlinkSync(`/proc/self/fd/${one}`);
      } catch {
        return 'closed meanwhile';
      }
    });
    expect(open.filter((path) => path.startsWith(folder))).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    expect(await readdir(kept)).toEqual(['file']);
  },
);

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

it('a folder that was not made can be made later', async () => {
  const wanted = join(root, 'blocked', 'job');
  await writeFile(join(root, 'blocked'), '');
  await expect(attemptFolder.make(wanted, { isPassable: false })).rejects.toThrow('ENOTDIR');
  await rm(join(root, 'blocked'));
  expect(await attemptFolder.make(wanted, { isPassable: false })).toBe(wanted);
  await attemptFolder.remove(wanted);
});
