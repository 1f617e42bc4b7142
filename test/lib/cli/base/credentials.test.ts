import { spawn } from 'node:child_process';
import { access, chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  checkUrl,
  findCredentials,
  forgetLocalRun,
  saveCredentials,
  saveLocalRun,
} from '../../../../lib/cli/base/credentials.ts';

/** A folder for the credentials of a test. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  return folder;
}

test('the newest running local run is the default, and the others are chosen by address', async () => {
  const folder = await newFolder();
  const env = { XDG_CONFIG_HOME: folder };
  const other = spawn('sleep', ['600']);
  onTestFinished(() => void other.kill());
  // Both processes live.
  const first = { url: 'http://127.0.0.1:1', token: 'first', pid: process.pid };
  const second = { url: 'http://127.0.0.1:2', token: 'second', pid: other.pid ?? 0 };
  await saveLocalRun(env, { url: 'http://127.0.0.1:3', token: 'ended', pid: 2 ** 30 });
  await saveLocalRun(env, first);
  await saveLocalRun(env, second);
  expect(await findCredentials(env)).toEqual({ url: second.url, token: 'second', isLocal: true });
  expect((await findCredentials({ ...env, PROMPTQ_URL: first.url })).token).toBe('first');
  await forgetLocalRun(env, second.pid);
  expect(await findCredentials(env)).toEqual({ url: first.url, token: 'first', isLocal: true });
  await forgetLocalRun(env, first.pid);
  await expect(findCredentials(env)).rejects.toThrow('promptq dev');
  await expect(access(join(folder, 'promptq/local-run.json'))).rejects.toThrow('ENOENT');
});

test.each([
  ['https://a.example', 'https://a.example'],
  ['https://a.example/', 'https://a.example'],
  ['http://a.example:8080/q//', 'http://a.example:8080/q'],
  ['https://a.example/api/v1/', 'https://a.example'],
  ['https://a.example/q/api/v1', 'https://a.example/q'],
])('the address of %s is %s', (text, url) => {
  expect(checkUrl(text, 'url')).toBe(url);
});

const SAVED = { url: 'https://a.example', token: 'pq_saved' };

test('the file of credentials is never readable by others, whatever the umask', async () => {
  const modes: number[] = [];
  vi.resetModules();
  vi.doMock('node:fs/promises', async (original) => ({
    ...(await original<typeof import('node:fs/promises')>()),
    chmod: async (path: string, mode: number) => {
      modes.push((await stat(path)).mode & 0o777);
      await chmod(path, mode);
    },
  }));
  const { saveCredentials: save } = await import('../../../../lib/cli/base/credentials.ts');
  vi.doUnmock('node:fs/promises');
  const folder = await newFolder();
  for (const umask of [0o000, 0o277]) {
    const before = process.umask(umask);
    const path = await save({ XDG_CONFIG_HOME: folder }, SAVED).finally(() => process.umask(before));
    modes.push((await stat(path)).mode & 0o777, (await stat(join(path, '..'))).mode & 0o777);
  }
  expect(modes).toEqual([0o600, 0o600, 0o700, 0o400, 0o600, 0o700]);
});

test('credentials of the environment come first, and a saved token is used only for its address', async () => {
  const env = { XDG_CONFIG_HOME: await newFolder() };
  await saveCredentials(env, SAVED);
  await saveLocalRun(env, { url: 'http://127.0.0.1:1', token: 'local', pid: process.pid });
  expect(await findCredentials({ ...env, PROMPTQ_URL: '', PROMPTQ_TOKEN: '' })).toEqual({ ...SAVED, isLocal: false });
  expect(await findCredentials({ ...env, PROMPTQ_TOKEN: 'other' })).toMatchObject({ ...SAVED, token: 'other' });
  const elsewhere = { ...env, PROMPTQ_URL: 'https://b.example' };
  expect(await findCredentials({ ...elsewhere, PROMPTQ_TOKEN: 'other' })).toEqual({
    url: 'https://b.example',
    token: 'other',
    isLocal: false,
  });
  await expect(findCredentials(elsewhere)).rejects.toThrow(
    'there is no token for https://b.example; run `promptq login`',
  );
  await expect(findCredentials({ ...env, PROMPTQ_TOKEN: 'a b' })).rejects.toThrow('characters that no token has');
});

test.each([
  ['no text', '[', 'is damaged; run `promptq login` again'],
  ['no object', '7', 'is damaged; run `promptq login` again'],
  ['no token', '{"url":"https://a.example"}', 'is damaged; run `promptq login` again'],
  ['no address', '{"token":"t"}', 'is damaged; run `promptq login` again'],
])('saved credentials with %s are damaged', async (_, text, message) => {
  const env = { XDG_CONFIG_HOME: await newFolder() };
  const path = await saveCredentials(env, SAVED);
  await writeFile(path, text);
  await expect(findCredentials(env)).rejects.toThrow(`${path} ${message}`);
});

test('the error of a folder without write access is one line, with the variable that names another', async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');
  const saving = saveCredentials({ XDG_CONFIG_HOME: file }, SAVED);
  await expect(saving).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/^can't write .*Set XDG_CONFIG_HOME to/),
  });
});
