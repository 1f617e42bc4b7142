import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Home } from '../../../../lib/local/run/home.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});
const modeOf = async (...path: string[]) => ((await stat(join(folder, ...path))).mode & 0o777).toString(8);

test('the folders of a home are closed to other users, who may pass through the home if slots have accounts', async () => {
  const home = await Home.open(join(folder, 'home'));
  const named = ['dynamodb', 's3', 'logs', 'practice'];
  await mkdir(home.folder('logs'));
  await chmod(home.folder('logs'), 0o777);
  for (const [passable, mode] of [
    [true, '711'],
    [false, '700'],
  ] as const) {
    await home.close({ passable });
    expect(await modeOf('home')).toBe(mode);
    expect(await Promise.all(named.map((name) => modeOf('home', name)))).toEqual(named.map(() => '700'));
  }
  expect(await readdir(folder)).toEqual(['home']);
});

test('a kept text is created once, and only its owner can read it', async () => {
  const home = await Home.open(folder);
  let made = 0;
  const make = () => `secret ${++made}`;
  expect([await home.keep('practice-key', make), await home.keep('practice-key', make)]).toEqual([
    'secret 1',
    'secret 1',
  ]);
  expect([await readFile(join(folder, 'practice-key'), 'utf8'), await modeOf('practice-key')]).toEqual([
    'secret 1',
    '600',
  ]);
});

test("the operator's access to a run is removed with the run, and ignored if it is damaged", async () => {
  const home = await Home.open(folder);
  const info = {
    dynamodb: 'http://127.0.0.1:1/',
    registry_table: 'Registry',
    practice_url: 'http://127.0.0.1:2/',
    practice_key: 'key',
    environment: { A: 'b' },
    messengers: { telegram: { page: 'http://127.0.0.1:3/k/', target: { chat_id: '1' } } },
  };
  expect(await home.readOperatorInfo()).toBeUndefined();
  await home.writeOperatorInfo(info);
  expect([await home.readOperatorInfo(), await modeOf('operator.json')]).toEqual([info, '600']);
  for (const damaged of ['{', '{}', JSON.stringify({ ...info, dynamodb: 'nowhere' })]) {
    await writeFile(join(folder, 'operator.json'), damaged);
    expect(await home.readOperatorInfo()).toBeUndefined();
  }
  await home.removeInfo();
  expect(await readdir(folder)).toEqual([]);
});
