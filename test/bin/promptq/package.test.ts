import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../docs/documents.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { amount, isLongRun } from '../../vitest/amount.ts';
import { emptyHome, PROGRAM } from './promptq-command.ts';

const run = promisify(execFile);
const home = emptyHome();
const installed = join(home, 'empty');
const packaged = join(installed, 'node_modules/.bin/promptq');
let tarball: string;
let npmConfig: NodeJS.ProcessEnv;
const credentials = join(home, '.config/promptq/local-run.json');

/**
 * docs/guide/command-line.md, "Install" and "Run the service": `npm run pack:cli`, then an installation of its file alone
 * in an empty folder. npm has the registry and the cache of this machine.
 */
beforeAll(async () => {
  const [packed, config] = await Promise.all([
    run(process.execPath, ['bin/pack-cli.ts', home], { cwd: ROOT }),
    run('npm', ['config', 'get', 'cache', 'userconfig']),
  ]);
  tarball = packed.stdout.trim();
  const values = config.stdout.trim().split('\n');
  npmConfig = Object.fromEntries(values.map((line) => `npm_config_${line}`.split('=')));
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{"type":"module","private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: installed });
});

const user = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PROMPTQ|XDG|AWS)_/.test(name))),
  HOME: home,
  ...npmConfig,
});

/**
 * In the place of `npm ci`: links the packages that the shipped lock file names to those of this repository, which have the
 * same versions. npm itself would unpack 650 MB.
 */
const LINKING_NPM = `#!${process.execPath}
const { existsSync, mkdirSync, readFileSync, symlinkSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
for (const name of Object.keys(packages).filter((path) => /^node_modules\\/(@[^/]+\\/)?[^/]+$/.test(path))) {
  if (!existsSync(join(${JSON.stringify(ROOT)}, name))) continue;
  mkdirSync(dirname(name), { recursive: true });
  symlinkSync(join(${JSON.stringify(ROOT)}, name), name);
}
`;

/** The search path of a start that installs the service: by npm itself in a long run. */
async function installer(): Promise<string | undefined> {
  const folder = join(home, 'linking');
  await mkdir(folder);
  await writeFile(join(folder, 'npm'), LINKING_NPM, { mode: 0o755 });
  return amount([folder, process.env.PATH].join(delimiter), process.env.PATH);
}

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

test('the package is one file of this version without dependencies, which a person can read', async () => {
  expect(tarball).toBe(join(home, `promptq-${packageJson.version}.tgz`));
  // A megabyte of it draws diagrams, once one is opened.
  expect((await stat(tarball)).size).toBeLessThan(3_700_000);
  expect((await readdir(join(installed, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual(['promptq']);
  const { dependencies, scripts } = JSON.parse(
    await readFile(join(installed, 'node_modules/promptq/package.json'), 'utf8'),
  );
  expect([dependencies, scripts]).toEqual([undefined, undefined]);
});

test('every package of which it contains code is named with its licence', async () => {
  const text = await readFile(join(installed, 'node_modules/promptq/LICENSES.txt'), 'utf8');
  for (const name of [
    'commander',
    'openapi-fetch',
    'openapi-typescript-helpers',
    'eventsource-parser',
    'standardwebhooks',
    '@modelcontextprotocol/server',
    'zod',
    // Of the console, its styles and the script that draws diagrams.
    'react-dom',
    '@cloudscape-design/components',
    '@cloudscape-design/global-styles',
    '@xterm/xterm',
    'mermaid',
    'd3-selection',
  ])
    expect(text).toMatch(new RegExp(`^${name} \\S+ \\([A-Za-z0-9.-]+\\)$`, 'm'));
  expect(text.match(/^zod \S+ \(MIT\)$/gm)).toHaveLength(1);
  expect(text).not.toMatch(/esbuild|aws-cdk/);
});

test('its types need no other package, and reject a field that no job has', async () => {
  await writeFile(
    join(installed, 'typed.ts'),
    `import { Promptq, type JobFields } from 'promptq/client';
     import { RequestError } from 'promptq/errors';
     import { verifyWebhook } from 'promptq/webhook';
     const fields: JobFields = { prompt: 'echo typed', priority: 1 };
     const promptq = new Promptq({ baseUrl: 'http://127.0.0.1', token: 'pq' });
     const { stdout } = await promptq.run(fields);
     const text: string | null = stdout;
     const { data } = await promptq.api.GET('/api/v1/jobs/{id}', { params: { path: { id: 'job' } } });
     const status: string | undefined = data?.status;
     // @ts-expect-error a job has no such field
     await promptq.run({ prompt: 'x', prio: 1 });
     export { RequestError, status, text, verifyWebhook };`,
  );
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types')];
  const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
  const compiled = run(process.execPath, [compiler, ...options, ...types, 'typed.ts'], { cwd: installed });
  expect(await compiled.catch(({ stdout }: { stdout: string }) => ({ stdout }))).toMatchObject({ stdout: '' });
});

/** Runs a program that imports the installed client. */
async function useClient(env: NodeJS.ProcessEnv): Promise<void> {
  await writeFile(
    join(installed, 'use.js'),
    `import { Promptq } from 'promptq/client';
     import { RequestError } from 'promptq/errors';
     import { verifyWebhook } from 'promptq/webhook';
     const promptq = new Promptq({ baseUrl: process.env.PROMPTQ_URL, token: process.env.PROMPTQ_TOKEN });
     const { stdout } = await promptq.run({ profile: 'shell', prompt: 'echo client' });
     const error = await promptq.result('job_none').catch((thrown) => thrown);
     console.log(JSON.stringify([stdout, error instanceof RequestError, typeof verifyWebhook]));`,
  );
  const { stdout } = await run(process.execPath, ['use.js'], { cwd: installed, env });
  expect(JSON.parse(stdout)).toEqual(['client\n', true, 'function']);
}

/** From a repository of the user to a commit of what a job did in it, and nothing else. */
async function workOnCheckout(env: NodeJS.ProcessEnv): Promise<void> {
  const cwd = join(home, 'app');
  await mkdir(cwd);
  const git = async (...args: string[]) =>
    (await run('git', ['-c', 'user.name=Me', '-c', 'user.email=me@example.com', ...args], { cwd, env })).stdout;
  await git('init', '-q', '-b', 'main');
  await git('commit', '-q', '--allow-empty', '-m', 'first');
  const { stderr } = await run(packaged, ['run', '--profile', 'shell', 'echo made > made.txt'], { cwd, env });
  const [, id = ''] = /^job (job_\w+)/m.exec(stderr) ?? [];
  await run(packaged, ['pull', id], { cwd, env });
  expect(await git('status', '--porcelain', '--ignored')).toBe('?? made.txt\n');
  await git('add', '-A');
  await git('commit', '-qm', 'second');
  expect(await git('log', '--format=%s %D')).toBe('second HEAD -> main\nfirst \n');
}

test('the package alone installs and runs the service, where its commands and its client work, until Ctrl-C', async () => {
  const env = user();
  const { child, ended, printed } = await dev([packaged], { ...env, PATH: await installer() });
  await waitFor(() => printed().includes('Or call the API') || child.exitCode !== null, { timeoutMs: 300_000 });
  expect(printed()).toContain('promptq run "Say hello" --follow');
  await waitFor(async () => await stat(credentials).catch(() => undefined));
  expect((await stat(credentials)).mode & 0o777).toBe(0o600);

  const hello = await run(packaged, ['run', 'Say hello'], { cwd: home, env });
  expect(hello.stdout).toContain('Say hello');
  expect((await run(packaged, ['run', '--profile', 'shell', 'echo local'], { cwd: home, env })).stdout).toBe('local\n');
  expect((await run(packaged, ['--version'], { cwd: home, env })).stdout).toBe(`${packageJson.version}\n`);
  // Some of what they need is loaded on demand.
  for (const command of ['list', 'profiles', 'projects', 'doctor'])
    expect((await run(packaged, [command], { cwd: home, env })).stdout).not.toBe('');
  await workOnCheckout(env);
  const { url, token } = JSON.parse(await readFile(credentials, 'utf8'));
  await useClient({ PATH: process.env.PATH, PROMPTQ_URL: url, PROMPTQ_TOKEN: token });
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

test.runIf(isLongRun)('a clone runs its sources', async () => {
  const env = { ...user(), XDG_CONFIG_HOME: join(home, 'other') };
  const { child, ended, printed } = await dev([process.execPath, PROGRAM], env);
  await waitFor(() => printed().includes('Or call the API') || child.exitCode !== null);
  const saved = join(home, 'other/promptq/local-run.json');
  await waitFor(async () => await stat(saved).catch(() => undefined));
  expect((await run(process.execPath, [PROGRAM, 'list'], { env })).stdout).not.toBe('');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  await expect(access(saved)).rejects.toThrow('ENOENT');
});

test.runIf(isLongRun)(
  'without a registry, it says that the first start needs one and leaves nothing behind',
  async () => {
    const env = {
      ...user(),
      XDG_CACHE_HOME: join(home, 'offline'),
      npm_config_cache: join(home, 'npm'),
      npm_config_registry: 'http://127.0.0.1:9',
      npm_config_fetch_retries: '0',
    };
    const { ended, printed } = await dev([packaged], env);
    expect(await ended).toEqual([1, null]);
    expect(printed()).toContain('The first start needs npm and its registry');
    expect(await readdir(join(home, 'offline/promptq'))).toEqual([]);
  },
);

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
    ...user(),
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
