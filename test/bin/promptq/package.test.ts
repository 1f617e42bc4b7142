import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../docs/documents.ts';
import { type ServiceUnderTest, startService } from '../../local-service.ts';
import { emptyHome } from './promptq-command.ts';

const run = promisify(execFile);
const home = emptyHome();
const installed = join(home, 'empty');
let service: ServiceUnderTest;
let tarball: string;

/** docs/guide/command-line.md, "Install": `npm run pack:cli`, then an installation of its file alone in an empty folder. */
beforeAll(async () => {
  const [started, { stdout }] = await Promise.all([
    startService(),
    run(process.execPath, ['bin/pack-cli.ts', home], { cwd: ROOT }),
  ]);
  service = started;
  tarball = stdout.trim();
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{"type":"module","private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: installed });
});
afterAll(async () => await service.stop());

const env = () => ({ PATH: process.env.PATH, HOME: home, PROMPTQ_URL: service.baseUrl, PROMPTQ_TOKEN: service.token });
const promptq = async (...args: string[]) =>
  await run(join(installed, 'node_modules/.bin/promptq'), args, { cwd: installed, env: env() });

test('the package is one file of this version without dependencies, which a person can read', async () => {
  expect(tarball).toBe(join(home, `promptq-${packageJson.version}.tgz`));
  expect((await stat(tarball)).size).toBeLessThan(3_000_000);
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
  ])
    expect(text).toMatch(new RegExp(`^${name} \\S+ \\([A-Za-z0-9.-]+\\)$`, 'm'));
  expect(text).not.toMatch(/esbuild|aws-cdk/);
});

test('its commands work, those that are loaded on demand too', async () => {
  expect((await promptq('--version')).stdout).toBe(`${packageJson.version}\n`);
  const { stdout } = await promptq('run', '--profile', 'shell', 'echo installed');
  expect(stdout).toBe('installed\n');
  for (const command of ['list', 'profiles', 'projects', 'doctor'])
    expect((await promptq(command)).stdout).not.toBe('');
});

test('its client works', async () => {
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
  const { stdout } = await run(process.execPath, ['use.js'], { cwd: installed, env: env() });
  expect(JSON.parse(stdout)).toEqual(['client\n', true, 'function']);
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
