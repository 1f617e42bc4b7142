import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Home } from '../../../../lib/local/run/home.ts';
import { HomeInUseError, lockHome } from '../../../../lib/local/run/home-lock.ts';

let folder: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-home-'));
});

afterEach(async () => {
  child?.kill('SIGKILL');
  child = undefined;
  await rm(folder, { recursive: true, force: true });
});

const INFO = { base_url: 'http://127.0.0.1:1', console_url: 'http://127.0.0.1:1', token: 'pq_x', pid: 42 };

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

/** Another process that holds the lock until it is killed. */
async function holdElsewhere(path: string): Promise<void> {
  const program = `
    const { Home } = await import(${JSON.stringify(new URL('../../../../lib/local/run/home.ts', import.meta.url).href)});
    const { lockHome } = await import(${JSON.stringify(new URL('../../../../lib/local/run/home-lock.ts', import.meta.url).href)});
    await lockHome(await Home.open(process.argv[1]));
    console.log('held');
    setInterval(() => undefined, 1e6);`;
  child = spawn(process.execPath, ['--input-type=module', '-e', program, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout !== null) await once(child.stdout, 'data');
}

describe('a home', () => {
  test('is made for its owner alone', async () => {
    const home = await Home.open(join(folder, 'a', 'b'));
    expect(await modeOf(home.path)).toBe('700');
  });

  test('is the same by every path to it', async () => {
    const home = await Home.open(join(folder, 'real'));
    await symlink(home.path, join(folder, 'link'));
    expect((await Home.open(join(folder, 'link'))).path).toBe(home.path);
  });

  test('is .promptq in the current folder unless it is given', async () => {
    const before = process.cwd();
    process.chdir(folder);
    try {
      expect((await Home.open(undefined)).path).toBe((await Home.open(join(folder, '.promptq'))).path);
      expect((await Home.open('')).path).toMatch(/\/\.promptq$/);
    } finally {
      process.chdir(before);
    }
  });

  test('shows the running service while there is one', async () => {
    const home = await Home.open(folder);
    expect(await home.readInfo()).toBeUndefined();
    await home.writeInfo(INFO);
    expect(await home.readInfo()).toEqual(INFO);
    expect(await modeOf(join(folder, 'local.json'))).toBe('600');
    await home.removeInfo();
    await home.removeInfo();
    expect(await home.readInfo()).toBeUndefined();
  });

  test('treats an unreadable local.json as missing', async () => {
    await writeFile(join(folder, 'local.json'), '{"base_url":');
    expect(await (await Home.open(folder)).readInfo()).toBeUndefined();
  });

  test('keeps a token, readable by its owner alone, over what was left half-written', async () => {
    const home = await Home.open(folder);
    expect(await home.readToken()).toBeUndefined();
    await writeFile(join(folder, 'token.new'), 'left by a run that was killed', { mode: 0o644 });
    await home.writeToken('pq_x');
    expect(await home.readToken()).toBe('pq_x');
    expect(await modeOf(join(folder, 'token'))).toBe('600');
    expect(await readdir(folder)).toEqual(['token']);
  });
});

describe('the lock', () => {
  test("is held by one process at a time, and another one gets the holder's pid", async () => {
    const home = await Home.open(folder);
    await holdElsewhere(folder);
    await home.writeInfo(INFO);
    const refused = lockHome(home);
    await expect(refused).rejects.toBeInstanceOf(HomeInUseError);
    await expect(refused).rejects.toThrow('process 42 at http://127.0.0.1:1');
  });

  test('reports that the other process is not ready yet', async () => {
    await holdElsewhere(folder);
    await expect(lockHome(await Home.open(folder))).rejects.toThrow('starting or stopping');
  });

  test('applies to every path to the home', async () => {
    await mkdir(join(folder, 'real'));
    await symlink(join(folder, 'real'), join(folder, 'link'));
    await holdElsewhere(join(folder, 'real'));
    await expect(lockHome(await Home.open(join(folder, 'link')))).rejects.toBeInstanceOf(HomeInUseError);
  });

  test('is free after kill -9 of its holder', async () => {
    await holdElsewhere(folder);
    child?.kill('SIGKILL');
    if (child !== undefined) await once(child, 'exit');
    await (await lockHome(await Home.open(folder))).release();
  });

  test('is free after its release', async () => {
    const home = await Home.open(folder);
    await (await lockHome(home)).release();
    await (await lockHome(home)).release();
  });

  test('of one home does not keep another from starting', async () => {
    const first = await lockHome(await Home.open(join(folder, 'a')));
    const second = await lockHome(await Home.open(join(folder, 'b')));
    await first.release();
    await second.release();
  });
});
