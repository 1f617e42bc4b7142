import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { workerEnv } from '../../../lib/platform/config/worker-env.ts';
import { LoginCli, type LoginCliContext, revokeLogin } from '../../../worker-container/account/login-cli.ts';
import { REQUIRED_SETTINGS } from '../required-settings.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-login-'));
});
afterEach(async () => await rm(folder, { recursive: true }));

/** What the worker knows about its CLI, which is a script of these lines. */
async function contextOf(...lines: readonly string[]): Promise<LoginCliContext> {
  const cli = join(folder, 'codex');
  await writeFile(cli, ['#!/bin/bash', `OURS='${folder}'`, ...lines].join('\n'));
  await chmod(cli, 0o755);
  const settings = { PROMPTQ_WORK_DIR: join(folder, 'work'), PROMPTQ_VENDOR: 'real', PROMPTQ_CODEX_BIN: cli };
  const env = workerEnv.parse({ ...REQUIRED_SETTINGS, ...settings });
  return { env, markPrefix: `${folder}/`, account: undefined };
}

const LOGIN = JSON.stringify({ tokens: { id_token: 'i', access_token: 'a', refresh_token: 'r' } });
const logins = async () => await readdir(join(folder, 'work', 'logins'));

it('a login is revoked by the CLI in a folder that nobody else can enter, and which is removed', async () => {
  const context = await contextOf(
    'cd "$CODEX_HOME"; stat -c "%a" . auth.json config.toml > "$OURS/modes"; cat auth.json > "$OURS/revoked"',
    'echo "$*" > "$OURS/call"; yes | head -c 200000; yes | head -c 200000 >&2',
  );
  await mkdir(join(folder, 'work', 'logins', 'one', 'left'), { recursive: true });
  await revokeLogin(context, 'one', LOGIN);
  const read = async (name: string) => await readFile(join(folder, name), 'utf8');
  expect(await read('modes')).toBe('700\n600\n600\n');
  expect([await read('revoked'), await read('call'), await logins()]).toEqual([LOGIN, 'logout\n', []]);
});

it('only a complete login in the folder of the CLI is one', async () => {
  const context = await contextOf('exec sleep 60');
  const cli = await LoginCli.start(context, 'one');
  const home = join(folder, 'work', 'logins', 'one');
  const found = [await cli.credential()];
  for (const text of ['', LOGIN.slice(0, -1), LOGIN]) {
    await writeFile(join(home, 'auth.json'), text);
    found.push(await cli.credential());
  }
  expect(found).toEqual([undefined, undefined, undefined, LOGIN]);
  await cli.end();
  expect(await cli.exited).toMatchObject({ signal: expect.stringMatching(/^SIG(TERM|KILL)$/) });
  await cli.dispose();
  expect(await logins()).toEqual([]);
});
