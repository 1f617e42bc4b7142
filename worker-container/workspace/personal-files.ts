import { createHash } from 'node:crypto';
import { chownSync, lstatSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { type Folders, foldersAbove, workingFolder } from '../../lib/jobs/lifecycle/working-folder.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { removeTree } from '../service-accounts/untrusted-files.ts';

/** The first port of slot 0, below those that systems give to programs that ask for any. */
const FIRST_PORT = 21_000;
/** Ports of one slot. */
const PORTS = 20;

interface PersonalContext {
  readonly account?: ServiceAccount | undefined;
  readonly env: WorkerEnv;
  readonly folders: Folders;
  readonly slot?: number;
}

/**
 * Creates what keeps a job's commands to the job: folders for temporary files and settings, and for a home and caches if
 * they run under an account.
 * @param folder the attempt's, or that of a binding's commands
 * @returns the variables that lead to them
 */
export function makePersonal(
  folder: string,
  { account, env, folders, slot = 0 }: PersonalContext,
  job: Job,
): Record<string, string> {
  const working = workingFolder(folders, job);
  const above = 'path' in working ? foldersAbove(folders, working.path) : [];
  return {
    ...(account === undefined ? ownSettings(folder, env) : accountFolders(folder, account)),
    // A repository around the workspaces is not the job's.
    ...(above.length > 0 && { GIT_CEILING_DIRECTORIES: above.join(':') }),
    PROMPTQ_SLOT: String(slot),
    PROMPTQ_PORT: String(FIRST_PORT + slot * PORTS),
  };
}

function accountFolders(folder: string, account: ServiceAccount): Record<string, string> {
  const cache = makeFolder(join(folder, 'cache'), account);
  return {
    HOME: makeFolder(join(folder, 'home'), account),
    TMPDIR: makeFolder(join(folder, 'temp'), account),
    // Not below HOME, which a profile may set to a folder in the workspaces, where each byte is billed.
    XDG_CACHE_HOME: cache,
    // npm does not follow XDG_CACHE_HOME.
    npm_config_cache: makeFolder(join(cache, 'npm'), account),
  };
}

/** The user's own settings apply, and none of them can be changed by accident: writes go to files of the job. */
function ownSettings(folder: string, { HOME, PATH }: WorkerEnv): Record<string, string> {
  const settings = makeFolder(join(folder, 'settings'));
  const [git, npm, global] = [join(settings, 'gitconfig'), join(settings, 'npmrc'), join(settings, 'npm')];
  writeFileSync(git, GIT_SETTINGS, { mode: 0o600 });
  writeFileSync(npm, `${readIfThere(join(HOME, '.npmrc'))}\nprefix=${global}\n`, { mode: 0o600 });
  return {
    TMPDIR: makeTemporary(folder),
    GIT_CONFIG_GLOBAL: git,
    npm_config_userconfig: npm,
    // What `npm install -g` brings.
    PATH: `${PATH}:${join(global, 'bin')}`,
  };
}

/** A signature may need a person, who is not there. git ignores files that are missing. */
const GIT_SETTINGS = `[include]
\tpath = ~/.config/git/config
\tpath = ~/.gitconfig
[commit]
\tgpgSign = false
[tag]
\tgpgSign = false
`;

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Creates a folder for an account; without one, for this user. */
export function makeFolder(path: string, account?: ServiceAccount): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (account !== undefined) chownSync(path, account.uid, account.gid);
  return path;
}

/**
 * Creates the folder for temporary files of what runs as this user in an attempt. It lies in the system's folder for
 * them, because the path of a socket has at most about 100 bytes, and has the same path in all turns of a thread.
 */
function makeTemporary(attemptDir: string): string {
  const base = baseOf(dirname(attemptDir));
  mkdirSync(base, { recursive: true, mode: 0o700 });
  // Another user can have made it.
  const folder = isOwn(base) ? join(base, shortHash(basename(attemptDir))) : join(attemptDir, 'temp');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export async function removeTemporary(attemptDir: string): Promise<void> {
  const base = baseOf(dirname(attemptDir));
  if (!isOwn(base)) return;
  const folder = join(base, shortHash(basename(attemptDir)));
  try {
    // Usually it is empty, and starting a process takes milliseconds.
    rmdirSync(folder);
  } catch {
    await removeTree(folder);
  }
}

/** Removes those of all attempts that had their folders in `attempts`. */
export async function removeAllTemporary(attempts: string): Promise<void> {
  if (isOwn(baseOf(attempts))) await removeTree(baseOf(attempts));
}

function baseOf(attempts: string): string {
  return join(tmpdir(), `promptq-${shortHash(attempts)}`);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

/** Whether it is a folder, and no link, that only this user can change. */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}
