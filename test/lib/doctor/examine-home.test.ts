import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { examineHome } from '../../../lib/doctor/home/examine-home.ts';

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'promptq-home-')));
});
afterEach(async () => await rm(home, { recursive: true, force: true }));

const look = async (config?: string) =>
  (await examineHome(home, { version: '1', config, job: undefined })).map(
    ({ check, state, message }) => `${state} ${check}: ${message}`,
  );
const NO_HOME = expect.stringMatching(/^fault home: /);

it('the configuration of the next start is looked at although no service runs', async () => {
  expect(await look()).toEqual([NO_HOME]);
  const config = join(home, 'config.json');
  await writeFile(config, JSON.stringify({ profiles: [{ name: 'a', agent: 'shell' }] }));
  expect(await look(config)).toEqual([`ok configuration: ${config}: 0 rules, 1 profiles`, NO_HOME]);
  await writeFile(config, '{');
  expect(await look(config)).toEqual([expect.stringMatching(/^fault configuration: /), NO_HOME]);
});

it('a running service is looked at, and without its operator file nothing more', async () => {
  await mkdir(join(home, 'dynamodb'));
  const base_url = 'http://127.0.0.1:1';
  const info = { base_url, console_url: base_url, token: 't', pid: process.pid };
  await writeFile(join(home, 'local.json'), JSON.stringify(info), { mode: 0o600 });
  const found = await look();
  expect(found.slice(-2)).toEqual([
    expect.stringMatching(/^fault service: http:\/\/127\.0\.0\.1:1: /),
    'fault operator.json: is missing or broken',
  ]);
  expect(found).toContain(`ok process: ${process.pid}`);
});
