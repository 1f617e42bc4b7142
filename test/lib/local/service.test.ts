import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RUN_MARK } from '../../../lib/local/run/local-env.ts';
import { SETTINGS } from '../../../lib/local/settings/settings.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';

const PROGRAM = new URL('../../../bin/local.ts', import.meta.url).pathname;

/** The order in which faults of settings are named. */
const ORDER = Object.keys(SETTINGS);

/** Runs the program until it exits. */
async function runLocal(
  env: Record<string, string>,
  ...args: readonly string[]
): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  await once(child, 'close');
  return { code: child.exitCode, printed };
}

/** Ids and command lines of all processes that carry the home's mark, the agents' too. */
async function marked(home: string): Promise<{ pid: number; command: string }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      if (!environment.split('\0').includes(`${RUN_MARK}=${home}`)) return [];
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return [{ pid: Number(pid), command: command.replaceAll('\0', ' ') }];
    }),
  );
  return found.flat();
}

async function workerOf(home: string): Promise<number> {
  return await waitFor(
    async () => (await marked(home)).find(({ command }) => command.includes('worker-container'))?.pid,
  );
}

describe('a running service', () => {
  let service: OwnService;
  beforeAll(async () => {
    service = await startService({ ownGroup: true });
  });
  afterAll(async () => {
    // The last test has ended it if it came so far.
    if (existsSync(service.home)) await service.stop();
  });

  test("gives operators' commands the origin of links in signed calls", async () => {
    const { environment } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
    expect(environment.PROMPTQ_LINK_ORIGIN).toBe(service.baseUrl);
  });

  test('writes its address to local.json, for its owner alone', async () => {
    const path = join(service.home, 'local.json');
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      base_url: service.baseUrl,
      console_url: service.consoleUrl,
      token: service.token,
      pid: service.pid,
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(service.consoleUrl).toMatch(/^http:\/\/promptq-[0-9a-f]{32}\.localhost:\d+$/);
    expect(service.output()).toContain(`  Console    ${service.consoleUrl}   (browser; one click signs you in,`);
    expect((await stat(join(service.home, 'browser-name'))).mode & 0o777).toBe(0o600);
  });

  test('prints lines that create a job, wait for its end and read its result when they are pasted into a shell', async () => {
    const lines = service
      .output()
      .split('\n')
      .filter((line) => /^ {2}(?:export |call\(\) |ID=|until |call )/.test(line));
    expect(lines).toHaveLength(5);
    const { stdout } = await promisify(execFile)(
      'bash',
      ['-e', '-o', 'pipefail', '-c', [...lines, 'echo $ID'].join('\n')],
      {
        env: { PATH: process.env.PATH },
      },
    );
    const id = stdout.trim().split('\n').at(-1);
    const { json } = await service.api('GET', `/jobs/${id}/result`);
    expect(json).toMatchObject({ id, status: 'SUCCEEDED', composed_prompt: 'Say hello' });
    expect(stdout).toContain(json.final_message);
  });

  test('is the only one on its home: a second run names it and ends', async () => {
    const { code, printed } = await runLocal({ PROMPTQ_HOME: service.home, PORT: '0' });
    expect(code).toBe(1);
    expect(printed).toContain(`process ${service.pid} at ${service.baseUrl}`);
    expect((await service.api('GET', '/health')).status).toBe(200);
    expect(await readFile(join(service.home, 'logs', 'api.log'), 'utf8')).toContain('health.read');
  });

  test('starts its worker again when that is killed, and jobs run as before', async () => {
    const first = await workerOf(service.home);
    process.kill(first, 'SIGKILL');
    await waitFor(async () =>
      (await marked(service.home)).some(({ pid, command }) => pid !== first && command.includes('worker-container')),
    );
    const { json } = await service.api('POST', '/jobs', { prompt: 'echo again', profile: 'shell' });
    await waitFor(
      async () => (await service.api('GET', `/jobs/${json.id}/status?wait=20`)).json.status === 'SUCCEEDED',
    );
  });

  test("answers an unknown path with the API's 404", async () => {
    const { status, json } = await service.api('GET', '/nothing');
    expect([status, json]).toEqual([404, { error: 'not_found', request_id: expect.any(String) }]);
    expect((await fetch(`${service.baseUrl}/api/nothing`)).status).toBe(401);
  });

  test('on Ctrl-C, which reaches the whole process group, the worker is ended by the service alone', async () => {
    const workerLog = async () => await readFile(join(service.home, 'logs', 'worker.log'), 'utf8');
    await waitFor(async () => (await workerLog()).includes('"ready"'));
    // Another test has killed a worker.
    const before = service.output().length;
    process.kill(-service.pid, 'SIGINT');
    await waitFor(async () => (await marked(service.home)).length === 0);
    expect(service.output().slice(before)).not.toContain('ended unexpectedly');
    const log = await workerLog();
    expect(log).toContain('"why":"SIGTERM"');
    expect(log).not.toContain('"why":"SIGINT"');
    expect(await service.stop()).toBe(0);
  });
});

describe('the end', () => {
  test('on SIGTERM during the start the service stops as soon as it has started', async () => {
    const home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    const child = spawn(process.execPath, [PROGRAM], {
      env: { ...process.env, PORT: '0', PROMPTQ_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
    const ended = once(child, 'close');
    // The handlers of signals are there by now, and the address is not.
    await waitFor(async () => (await readdir(home)).length > 0);
    child.kill('SIGTERM');
    await ended;
    // On a loaded machine, a part that ends late is named after that.
    expect([child.exitCode, printed]).toEqual([0, expect.stringMatching(/^\s*Stopping\./)]);
    expect(printed).not.toContain('Base URL');
    await waitFor(async () => (await marked(home)).length === 0);
    await rm(home, { recursive: true, force: true });
  });
});

describe('a start that fails', () => {
  test('names a port that is taken, with what to do', async () => {
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    const { code, printed } = await runLocal({ PROMPTQ_HOME: home, PORT: port });
    expect([code, printed]).toEqual([1, expect.stringContaining(`port ${port} is taken`)]);
    const signIn = await runLocal({ PROMPTQ_HOME: home, PROMPTQ_SIGN_IN_PORT: port });
    expect(signIn.printed).toContain(
      `port ${port} is taken by another program; set PROMPTQ_SIGN_IN_PORT to another one`,
    );
    await waitFor(async () => (await marked(home)).length === 0);
    other.close();
    await rm(home, { recursive: true, force: true });
  });

  test.each([
    ['PORT', 'many', 'a number from 1 to 65535, or 0 for any free port'],
    ['PROMPTQ_WATCH_SECONDS', 'often', 'a number from 0.1 to 3600'],
  ])('rejects %s=%j with what is allowed, before anything starts', async (variable, given, allowed) => {
    const { code, printed } = await runLocal({ [variable]: given });
    expect([code, printed]).toEqual([1, `promptq: ${variable} is "${given}"; it must be ${allowed}\n`]);
  });

  test('names every setting that is not allowed, in a line each, and one that is none with the one it resembles', async () => {
    const faults = { PROMPTQ_VENDOR: 'openai', PROMPTQ_USAGE_PROBE_SECONDS: 'abc', PROMPTQ_PUBLIC_ORIGIN: 'foo' };
    const { code, printed } = await runLocal({ ...faults, PORT: 'many' });
    expect([code, printed.trimEnd().split('\n')]).toEqual([
      1,
      ['PORT', ...Object.keys(faults)]
        .toSorted((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))
        .map((name) => expect.stringMatching(`^promptq: ${name} is "\\w+"[:;] `)),
    ]);
    const misspelt = await runLocal({ PROMPTQ_VENDR: 'real', PROMPTQ_HOME: '/dev/null/home', PORT: '0' });
    expect(misspelt.printed).toMatch(/ PROMPTQ_VENDR is no setting of a local run; PROMPTQ_VENDOR is one\n/);
  });

  test.each([
    ['--port', 2, "promptq: Unknown option '--port'\n\nUsage: npm start"],
    ['--help', 0, 'Usage: npm start'],
    ['--allow=/absent', 2, "promptq: ENOENT: no such file or directory, lstat '/absent'\n\nUsage: npm start"],
  ])('npm start with the argument %s ends with %i and says how settings are given', async (given, status, start) => {
    // A home that can't be made, so that a service which does not reject its arguments ends too.
    const { code, printed } = await runLocal({ PROMPTQ_HOME: '/dev/null/home', PORT: '0' }, given);
    expect([code, printed.startsWith(start)], printed).toEqual([status, true]);
    expect(printed).toContain('PORT=3001 npm start');
  });
});
