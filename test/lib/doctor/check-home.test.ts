import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkHome, checkLocalSecrets } from '../../../lib/doctor/home/check-home.ts';
import { STORE_FORMAT } from '../../../lib/platform/store-format.ts';
import { describeOnSmallDisk, mountSmallDisk } from '../../stand-ins/small-disk.ts';

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'promptq-home-')));
  await mkdir(join(home, 'dynamodb'));
  await writeFile(join(home, 'format'), STORE_FORMAT);
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const INFO = { base_url: 'http://127.0.0.1:1', console_url: 'http://127.0.0.1:1', token: 't', pid: process.pid };
const OPERATOR = {
  dynamodb: 'http://127.0.0.1:2',
  registry_table: 'registry',
  practice_url: 'http://127.0.0.1:3',
  practice_key: 'k',
  environment: { JOBS_TABLE: 'jobs' },
};

async function put(name: string, content: unknown, mode = 0o600) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  await writeFile(join(home, name), text);
  await chmod(join(home, name), mode);
}
async function look() {
  const { findings, running } = await checkHome(home);
  return { running, findings: findings.map(({ check, state, message }) => `${state} ${check}: ${message}`) };
}

it('a folder without a database is no home, and nothing is created in it', async () => {
  await rm(join(home, 'dynamodb'), { recursive: true });
  expect(await look()).toEqual({
    running: undefined,
    findings: [`fault home: ${home} is no home of a local run`],
  });
  expect((await checkHome(join(home, 'missing'))).running).toBeUndefined();
});

it('a home of another format is named with what to do', async () => {
  await writeFile(join(home, 'format'), '0\n');
  expect((await look()).findings).toEqual([expect.stringMatching(/^fault home: .* this version reads format/)]);
});

it('files with credentials that others can read are named, and no other file', async () => {
  await put('local.json', INFO, 0o640);
  await put('operator.json', OPERATOR, 0o700);
  await put('token', 't', 0o601);
  await put('secrets.env', '', 0o604);
  await put('other', '', 0o666);
  const { findings } = await checkHome(home);
  expect(findings.filter(({ check }) => check === 'private files')).toEqual([
    {
      check: 'private files',
      state: 'fault',
      message: 'others on this machine can read local.json, token, secrets.env',
      advice: `chmod 600 ${join(home, 'local.json')} ${join(home, 'token')} ${join(home, 'secrets.env')}`,
    },
  ]);
  for (const name of ['local.json', 'token', 'secrets.env']) await chmod(join(home, name), 0o600);
  expect((await look()).findings).not.toContainEqual(expect.stringContaining('private files'));
});

describeOnSmallDisk('a home on a small disk', () => {
  it('gets a warning below a gibibyte, and a fault when it is full', async () => {
    const disk = mountSmallDisk(2);
    try {
      await mkdir(join(disk.folder, 'dynamodb'));
      await writeFile(join(disk.folder, 'format'), STORE_FORMAT);
      const space = async () => (await checkHome(disk.folder)).findings.find(({ check }) => check === 'disk');
      expect(await space()).toMatchObject({ state: 'warning', message: '0.0 GiB free' });
      disk.fill();
      expect(await space()).toMatchObject({ state: 'fault', message: expect.stringContaining('the home is full') });
    } finally {
      disk.remove();
    }
    const large = mountSmallDisk(1_030);
    try {
      await mkdir(join(large.folder, 'dynamodb'));
      await writeFile(join(large.folder, 'format'), STORE_FORMAT);
      const found = await checkHome(large.folder);
      expect(found.findings).toContainEqual({ check: 'disk', state: 'ok', message: '1.0 GiB free' });
    } finally {
      large.remove();
    }
  });
});

describe('secrets of a local run', () => {
  const named = [
    { name: 'KEY', profile: 'build' },
    { name: 'KEY', profile: undefined },
    { name: 'TOKEN', profile: 'build' },
  ];
  const look = async (text: string | undefined, wanted: Parameters<typeof checkLocalSecrets>[1] = named) => {
    if (text !== undefined) await put('secrets.env', text);
    const { state, message } = await checkLocalSecrets(home, wanted);
    return `${state}: ${message}`;
  };

  it('are set for a profile or for all, and an empty one is not', async () => {
    expect(await look('KEY=1\nTOKEN=2\n')).toBe('ok: 2 secrets set');
    expect(await look('KEY=1\nbuild/TOKEN=2\n')).toBe('ok: 2 secrets set');
    expect(await look('KEY=\nTOKEN=2\n')).toMatch(/^warning: not in secrets.env of the home: KEY \(.*\), KEY \(.*\)$/);
    expect(await look('TOKEN=2\n', named.slice(2))).toBe('ok: 1 secret set');
  });
});
