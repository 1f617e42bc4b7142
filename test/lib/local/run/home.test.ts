import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultHome, linkHome } from '../../../../lib/local/run/default-home.ts';
import { Home } from '../../../../lib/local/run/home.ts';
import { HomeInUseError, lockHome } from '../../../../lib/local/run/home-lock.ts';

let folder: string;
let child: ChildProcess | undefined;
const before = { folder: process.cwd(), env: process.env };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-home-'));
  process.env = { ...before.env };
});

afterEach(async () => {
  child?.kill('SIGKILL');
  child = undefined;
  process.chdir(before.folder);
  process.env = before.env;
  await rm(folder, { recursive: true, force: true });
});

const INFO = { base_url: 'http://127.0.0.1:1', console_url: 'http://127.0.0.1:1', token: 'pq_x', pid: 42 };

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

/** Another process that holds the lock until it is killed. */
async function holdElsewhere(path: string, env: Record<string, string> = {}): Promise<void> {
  const program = `
    const { Home } = await import(${JSON.stringify(new URL('../../../../lib/local/run/home.ts', import.meta.url).href)});
    const { lockHome } = await import(${JSON.stringify(new URL('../../../../lib/local/run/home-lock.ts', import.meta.url).href)});
    await lockHome(await Home.open(process.argv[1]));
    await new Promise(setImmediate);
    gc();
    console.log('held');
    setInterval(() => undefined, 1e6);`;
  child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', program, path], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout !== null) await once(child.stdout, 'data');
}

describe('a home', () => {
  test('is made for its owner alone', async () => {
    const home = await Home.open(join(folder, 'a', 'b'));
    expect(await modeOf(home.path)).toBe('700');
  });

  test('shows the running service', async () => {
    const home = await Home.open(folder);
    expect(await home.readInfo()).toBeUndefined();
    await home.writeInfo(INFO);
    expect(await home.readInfo()).toEqual(INFO);
    expect(await modeOf(join(folder, 'local.json'))).toBe('600');
    await home.removeInfo();
    await home.removeInfo();
    expect(await home.readInfo()).toBeUndefined();
  });

  test('stores a token for its owner alone, and replaces a half-written one', async () => {
    const home = await Home.open(folder);
    expect(await home.readToken()).toBeUndefined();
    await writeFile(join(folder, 'token.new'), 'left by a run that was killed', { mode: 0o644 });
    await home.writeToken('pq_x');
    expect(await home.readToken()).toBe('pq_x');
    expect(await modeOf(join(folder, 'token'))).toBe('600');
    expect(await readdir(folder)).toEqual(['token']);
  });
});

describe('the home of a start that names none', () => {
  /** Enters a new folder of the user. */
  const enter = async (name: string) => {
    await mkdir(join(folder, name), { recursive: true });
    process.chdir(join(folder, name));
    return join(folder, name);
  };
  beforeEach(() => {
    process.env.XDG_DATA_HOME = join(folder, 'data');
  });

  test('is one for each folder, in the data folder of the user', async () => {
    const clone = await enter('clone of it');
    const home = await Home.open(undefined);
    expect(home.path).toMatch(new RegExp(`^${folder}/data/promptq/clone_of_it-[0-9a-f]{8}$`));
    expect([(await Home.open('')).path, await readdir(clone), await modeOf(home.path)]).toEqual([home.path, [], '700']);
    await enter('other');
    expect((await Home.open(undefined)).path).not.toBe(home.path);
    process.env.XDG_DATA_HOME = 'relative';
    process.env.HOME = join(folder, 'user');
    expect(defaultHome()).toMatch(new RegExp(`^${folder}/user/.local/share/promptq/other-[0-9a-f]{8}$`));
  });

  test('is never a .promptq that exists in the folder, and the link does not replace it', async () => {
    const clone = await enter('clone');
    const { path } = await Home.open(undefined);
    expect(await linkHome(path, clone)).toBeUndefined();
    expect([await linkHome(path, clone), await realpath('.promptq')]).toEqual([undefined, path]);
    for (const make of [async () => await mkdir('.promptq'), async () => await symlink('/', '.promptq')]) {
      await rm('.promptq', { recursive: true });
      await make();
      expect(await linkHome(path, clone)).toMatch(
        /^.*clone\/\.promptq is not this home, and stays .*PROMPTQ_HOME=\.promptq$/,
      );
    }
    expect((await Home.open(undefined)).path).toBe(path);
  });

  test('is ignored by a git repository around it', async () => {
    const home = await Home.open(join(folder, 'named'));
    execFileSync('git', ['init', '--quiet', folder]);
    await home.close({ passable: false });
    await home.writeToken('pq_x');
    execFileSync('git', ['add', '--all'], { cwd: folder });
    expect(execFileSync('git', ['status', '--short'], { cwd: folder, encoding: 'utf8' })).toBe('');
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

  test('is on a file that other users cannot open', async () => {
    await (await lockHome(await Home.open(folder))).release();
    expect(await readdir(folder)).toEqual(['lock.sqlite']);
    expect(await modeOf(join(folder, 'lock.sqlite'))).toBe('600');
  });

  test('is free after kill -9 of its holder', async () => {
    await holdElsewhere(folder);
    child?.kill('SIGKILL');
    if (child !== undefined) await once(child, 'exit');
    await (await lockHome(await Home.open(folder))).release();
  });
});
