import { spawn } from 'node:child_process';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findCredentials, forgetLocalRun, saveLocalRun } from '../../../../lib/cli/base/credentials.ts';

test('of several local runs, the newest that lives is used, and the others by their address', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const env = { XDG_CONFIG_HOME: folder };
  const other = spawn('sleep', ['600']);
  onTestFinished(() => void other.kill());
  // Both processes live.
  const first = { url: 'http://127.0.0.1:1', token: 'first', pid: process.pid };
  const second = { url: 'http://127.0.0.1:2', token: 'second', pid: other.pid ?? 0 };
  await saveLocalRun(env, { url: 'http://127.0.0.1:3', token: 'ended', pid: 2 ** 30 });
  await saveLocalRun(env, first);
  await saveLocalRun(env, second);
  expect(await findCredentials(env)).toEqual({ url: second.url, token: 'second' });
  expect((await findCredentials({ ...env, PROMPTQ_URL: first.url })).token).toBe('first');
  await forgetLocalRun(env, second.pid);
  expect(await findCredentials(env)).toEqual({ url: first.url, token: 'first' });
  await forgetLocalRun(env, first.pid);
  await expect(findCredentials(env)).rejects.toThrow('promptq dev');
  await expect(access(join(folder, 'promptq/local-run.json'))).rejects.toThrow('ENOENT');
});
