import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createJob, untilEnded } from '../api/job-client.ts';
import { startService, waitFor } from '../local-run/local-service.ts';

/** This machine, seen as a Mac: no /proc, abstract sockets, network namespaces or setpriv are used. */
const PLATFORM = 'darwin-arm64';
const NAME = `@dynoxide/${PLATFORM}`;
const VERSION = packageJson.optionalDependencies['@dynoxide/linux-x64'];

let folder: string;
let registry: Server;
let requests: string[];
let tarball: Buffer;
/** What the registry says that the package's hash is. */
let integrity: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  requests = [];
  tarball = await packEmulator(join(folder, 'package'));
  integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  registry = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    if (path === `/${NAME}`) response.end(JSON.stringify(packument()));
    else if (path === '/emulator.tgz') response.end(tarball);
    else response.writeHead(404).end('{}');
  });
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
});
afterEach(async () => {
  registry.closeAllConnections();
  registry.close();
  await rm(folder, { recursive: true, force: true });
});

const registryUrl = () => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;

function packument() {
  const dist = { tarball: `${registryUrl()}/emulator.tgz`, integrity };
  return {
    name: NAME,
    'dist-tags': { latest: VERSION },
    versions: { [VERSION]: { name: NAME, version: VERSION, dist } },
  };
}

/** The emulator of this machine, packed as that of another platform. */
async function packEmulator(below: string): Promise<Buffer> {
  await mkdir(below);
  await copyFile(createRequire(import.meta.url).resolve('@dynoxide/linux-x64/dynoxide'), join(below, 'dynoxide'));
  await writeFile(join(below, 'package.json'), JSON.stringify({ name: NAME, version: VERSION }));
  await promisify(execFile)('tar', ['-czf', join(below, '..', 'emulator.tgz'), '-C', join(below, '..'), 'package']);
  return await readFile(join(below, '..', 'emulator.tgz'));
}

const env = () => ({
  PROMPTQ_PLATFORM: PLATFORM,
  PROMPTQ_DYNAMODB_ENDPOINT: '',
  XDG_CACHE_HOME: join(folder, 'cache'),
  npm_config_registry: registryUrl(),
  npm_config_cache: join(folder, 'npm'),
  PROMPTQ_WATCH_SECONDS: '2',
});

test('the local run fetches its emulator once, runs jobs, and ends their processes, also those that a killed one left', async () => {
  const service = await startService({ env: env() });
  const { home } = service;
  const agent = await createJob(service, { prompt: 'hello' });
  expect(await untilEnded(service, agent)).toMatchObject({ status: 'SUCCEEDED' });
  const mark = `promptq-left-${process.pid}`;
  const left = await createJob(service, { profile: 'shell', prompt: `(exec -a ${mark} sleep 1000) & echo done` });
  expect(await untilEnded(service, left)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await processesNamed(mark)).toEqual([]);
  const killed = await createJob(service, { profile: 'shell', prompt: `setsid bash -c 'exec -a ${mark} sleep 1000'` });
  await waitFor(async () => (await processesNamed(mark)).length > 0);
  await service.api('POST', `/jobs/${killed}/kill`);
  expect(await untilEnded(service, killed)).toMatchObject({ status: 'CANCELLED' });
  expect(await processesNamed(mark)).toEqual([]);
  expect(service.output()).toContain('other programs on this machine can reach it');

  await createJob(service, { profile: 'shell', prompt: `exec -a ${mark} sleep 1000` });
  const before = await waitFor(async () => {
    const found = await processesNamed(mark);
    return found.length > 0 && found;
  });
  await service.kill9();
  const again = await startService({ env: env(), home });
  // The job may already run again.
  expect((await processesNamed(mark)).filter((found) => before.includes(found))).toEqual([]);
  expect(await again.stop()).toBe(0);
  expect(requests.filter((path) => path === '/emulator.tgz')).toHaveLength(1);
  await rm(home, { recursive: true, force: true });
});

test('an emulator that differs from what the registry promised is not used', async () => {
  integrity = `sha512-${createHash('sha512').update('another').digest('base64')}`;
  await expect(startService({ env: env() })).rejects.toThrow(/not installed: .*[Ii]ntegrity/);
  expect(await readdir(join(folder, 'cache', 'promptq'))).toEqual([]);
});

test('without the registry the error says what to do', async () => {
  const offline = { ...env(), npm_config_fetch_retries: '0' };
  await new Promise((resolve) => registry.close(resolve));
  await expect(startService({ env: offline })).rejects.toThrow(
    /darwin-arm64 is not installed: .*PROMPTQ_DYNAMODB_ENDPOINT/,
  );
});

test('a platform without an emulator is named', async () => {
  await expect(startService({ env: { ...env(), PROMPTQ_PLATFORM: 'sunos-x64' } })).rejects.toThrow(
    'there is no DynamoDB emulator for sunos-x64',
  );
});

/** `PID COMMAND` of each process that was started under a name. */
async function processesNamed(name: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,args=']);
  const lines = stdout.split('\n').map((line) => line.trim());
  return lines.filter((line) => line.replace(/^\d+ /, '').startsWith(name));
}
