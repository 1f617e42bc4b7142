import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { usageError } from './errors.ts';

export interface Credentials {
  readonly url: string;
  readonly token: string;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Where `login` saves the credentials: readable by this user only. */
function credentialsPath(env: Env): string {
  const config = env.XDG_CONFIG_HOME || join(env.HOME || '.', '.config');
  return join(config, 'promptq', 'credentials.json');
}

/** Where `dev` keeps the credentials of the local run while it runs. */
function localRunPath(env: Env): string {
  return join(dirname(credentialsPath(env)), 'local-run.json');
}

/** Credentials to use. */
interface FoundCredentials extends Credentials {
  /** Whether the service is a local run of this user, which lives. */
  readonly isLocal: boolean;
}

/**
 * The credentials to use: PROMPTQ_URL and PROMPTQ_TOKEN, then those of `login`, then those of the newest running
 * `dev`. A saved token is sent only to the service that it was saved for.
 * @throws CommandError that says which one is missing
 */
export async function findCredentials(env: Env): Promise<FoundCredentials> {
  const saved = await readSaved(credentialsPath(env));
  const local = await livingRuns(env);
  const url = env.PROMPTQ_URL ? checkUrl(env.PROMPTQ_URL, 'PROMPTQ_URL') : (saved ?? local[0])?.url;
  if (url === undefined)
    throw usageError('no service is known; run `promptq login URL`, set PROMPTQ_URL, or start one with `promptq dev`');
  const token = env.PROMPTQ_TOKEN || [saved, ...local].find((found) => found?.url === url)?.token;
  if (token === undefined)
    throw usageError(`there is no token for ${url}; run \`promptq login\`, or set PROMPTQ_TOKEN`);
  return { url, token: checkToken(token), isLocal: local.some((run) => run.url === url) };
}

export async function saveCredentials(env: Env, credentials: Credentials): Promise<string> {
  const path = credentialsPath(env);
  await writePrivately(path, credentials);
  return path;
}

/** The credentials of a local run, which last for the life of a process. */
interface LocalRun extends Credentials {
  readonly pid: number;
}

/** As it is saved: another process can have the number later, and not the start. */
interface SavedRun extends LocalRun {
  readonly started: string;
}

/** Saves those of the newest local run, before those of others that still run. */
export async function saveLocalRun(env: Env, { url, token, pid }: LocalRun): Promise<void> {
  const started = await startOf(pid);
  const added = started === undefined ? [] : [{ url, token, pid, started }];
  await writeRuns(env, [...added, ...(await livingRuns(env))]);
}

/** Removes the credentials of a local run that has ended. */
export async function forgetLocalRun(env: Env, pid: number | undefined): Promise<void> {
  const others = (await livingRuns(env).catch(() => [])).filter((run) => run.pid !== pid);
  if (others.length === 0) await rm(localRunPath(env), { force: true });
  else await writeRuns(env, others);
}

async function writeRuns(env: Env, runs: readonly SavedRun[]): Promise<void> {
  const [newest, ...others] = runs;
  await writePrivately(localRunPath(env), { ...newest, others });
}

/** @throws CommandError if this user can't write there */
async function writePrivately(path: string, content: object): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replace(path, content);
  } catch (error) {
    throw usageError(
      `can't write ${path}: ${(error as Error).message}. Set XDG_CONFIG_HOME to a folder that you can write`,
    );
  }
}

async function replace(path: string, content: object): Promise<void> {
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' });
    // The mode of a new file is subject to the umask, which could take the owner's own rights.
    await chmod(draft, 0o600);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** An address without a path, query or credentials. */
export function checkUrl(text: string, where: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw usageError(`${where}: expected an address such as https://promptq.example.com`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

/** @throws CommandError that does not repeat the token */
export function checkToken(token: string): string {
  if (!/^[\x21-\x7e]+$/.test(token)) throw usageError('the token has characters that no token has');
  return token;
}

async function readSaved(path: string): Promise<Credentials | undefined> {
  const content = await readJson(path);
  if (content === undefined) return undefined;
  const { url, token } = content;
  if (typeof url === 'string' && typeof token === 'string') return { url, token };
  throw usageError(`${path} is damaged; run \`promptq login\` again`);
}

/** The local runs that `dev` has started whose processes live, the newest first. */
async function livingRuns(env: Env): Promise<SavedRun[]> {
  const newest = await readJson(localRunPath(env));
  const others = Array.isArray(newest?.others) ? newest.others.map(Object) : [];
  const living: SavedRun[] = [];
  for (const run of [newest, ...others].filter(isSavedRun))
    if (isRunning(run.pid) && (await startOf(run.pid)) === run.started) living.push(run);
  return living;
}

function isSavedRun(content: Json | undefined): content is SavedRun {
  const { url, token, pid, started } = content ?? {};
  return [url, token, started].every((text) => typeof text === 'string') && typeof pid === 'number';
}

/** What tells a process from a later one with its number, also after a restart of the machine; undefined: it is gone. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    if (process.platform !== 'linux')
      return (await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim() || undefined;
    // Behind the name in parentheses, which can hold anything.
    const [, rest = ''] = /^.*\) (.*)$/s.exec(await readFile(`/proc/${pid}/stat`, 'latin1')) ?? [];
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()} ${rest.split(' ')[STAT_START]}`;
  } catch {
    return undefined;
  }
}

/** Place of the start, in ticks since the boot, among the fields of `/proc/PID/stat` behind the name. */
const STAT_START = 19;

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** An object in a file, whose fields can hold anything. */
interface Json {
  readonly url?: unknown;
  readonly token?: unknown;
  readonly pid?: unknown;
  readonly started?: unknown;
  readonly others?: unknown;
}

/** The object in a file, without fields if it holds anything else; undefined without the file. */
async function readJson(path: string): Promise<Json | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw usageError(`can't read ${path}: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
