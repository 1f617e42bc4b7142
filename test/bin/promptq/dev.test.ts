import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../../docs/documents.ts';
import { waitFor } from '../../local-service.ts';
import { emptyHome, PROGRAM } from './promptq-command.ts';

const run = promisify(execFile);
const home = emptyHome();
const installed = join(home, 'empty');
const packaged = join(installed, 'node_modules/.bin/promptq');
const credentials = join(home, '.config/promptq/local-run.json');

/** docs/guide/command-line.md, "Run the service". npm has the registry and the cache of this machine. */
beforeAll(async () => {
  const { stdout } = await run(process.execPath, ['bin/pack-cli.ts', home], { cwd: ROOT });
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', stdout.trim()], { cwd: installed });
});

const user = async (): Promise<NodeJS.ProcessEnv> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PROMPTQ|XDG|AWS)_/.test(name))),
  HOME: home,
  npm_config_cache: (await run('npm', ['config', 'get', 'cache'])).stdout.trim(),
  npm_config_userconfig: (await run('npm', ['config', 'get', 'userconfig'])).stdout.trim(),
});

/** Starts `dev` as the user whose home is empty, on any free port. */
async function dev(command: readonly [string, ...string[]], env: NodeJS.ProcessEnv) {
  const [program, ...args] = command;
  const child = spawn(program, [...args, 'dev', '--port', '0', '--home', join(home, 'data')], { cwd: home, env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await ended;
  });
  return { child, ended, printed: () => printed };
}

test('the package alone installs and runs the service, and other commands find it until Ctrl-C', async () => {
  const env = await user();
  const { child, ended, printed } = await dev([packaged], env);
  await waitFor(() => printed().includes('Paste these lines') || child.exitCode !== null, { timeoutMs: 300_000 });
  expect(printed()).toContain('promptq run "Say hello" --follow');
  await waitFor(async () => await stat(credentials).catch(() => undefined));
  expect((await stat(credentials)).mode & 0o777).toBe(0o600);

  const hello = await run(packaged, ['run', 'Say hello'], { cwd: home, env });
  expect(hello.stdout).toContain('Say hello');
  expect((await run(packaged, ['run', '--profile', 'shell', 'echo local'], { cwd: home, env })).stdout).toBe('local\n');
  const { url } = JSON.parse(await readFile(credentials, 'utf8'));
  const page = await fetch(`${url}/`, { redirect: 'manual' });
  expect(page.status).toBeLessThan(400);

  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  await expect(access(credentials)).rejects.toThrow('ENOENT');
  await expect(run(packaged, ['list'], { cwd: home, env })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('`promptq dev`'),
  });
  const [version = '', ...others] = await readdir(join(home, '.cache/promptq'));
  expect([version, others]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/), []]);
});

test('a clone runs its sources', async () => {
  const env = { ...(await user()), XDG_CONFIG_HOME: join(home, 'other') };
  const { child, ended, printed } = await dev([process.execPath, PROGRAM], env);
  await waitFor(() => printed().includes('Paste these lines') || child.exitCode !== null);
  const saved = join(home, 'other/promptq/local-run.json');
  await waitFor(async () => await stat(saved).catch(() => undefined));
  expect((await run(process.execPath, [PROGRAM, 'list'], { env })).stdout).not.toBe('');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  await expect(access(saved)).rejects.toThrow('ENOENT');
});

test('without a registry, it says that the first start needs one and leaves nothing behind', async () => {
  const env = {
    ...(await user()),
    XDG_CACHE_HOME: join(home, 'offline'),
    npm_config_cache: join(home, 'npm'),
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
  };
  const { ended, printed } = await dev([packaged], env);
  expect(await ended).toEqual([1, null]);
  expect(printed()).toContain('The first start needs npm and its registry');
  expect(await readdir(join(home, 'offline/promptq'))).toEqual([]);
});

test('a signal during the installation leaves nothing behind, and what a killed one left is removed', async () => {
  let requests = 0;
  const silent = createServer(() => {
    requests += 1;
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const cache = join(home, 'stopped/promptq');
  for (const name of ['0.0.1.killed', '0.0.1.active', '0.0.1']) await mkdir(join(cache, name), { recursive: true });
  const lastWeek = new Date(Date.now() - 7 * 86_400_000);
  for (const name of ['0.0.1.killed', '0.0.1']) await utimes(join(cache, name), lastWeek, lastWeek);
  const env = {
    ...(await user()),
    XDG_CACHE_HOME: join(home, 'stopped'),
    npm_config_cache: join(home, 'npm'),
    npm_config_registry: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
  };
  const { child, ended, printed } = await dev([packaged], env);
  await waitFor(() => requests > 0);
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  expect(printed()).toContain('interrupted while installing the local run');
  expect((await readdir(cache)).toSorted()).toEqual(['0.0.1', '0.0.1.active']);
});
