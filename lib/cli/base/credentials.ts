import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { usageError } from './errors.ts';

export interface Credentials {
  readonly url: string;
  readonly token: string;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** Where `login` saves the credentials: readable by this user only. */
export function credentialsPath(env: Env): string {
  const config = env.XDG_CONFIG_HOME || join(env.HOME || '.', '.config');
  return join(config, 'promptq', 'credentials.json');
}

/**
 * The credentials to use: PROMPTQ_URL and PROMPTQ_TOKEN, then those of `login`. A saved token is sent only to the
 * service that it was saved for.
 * @throws CommandError that says which one is missing
 */
export async function findCredentials(env: Env): Promise<Credentials> {
  const saved = await readSaved(credentialsPath(env));
  const url = env.PROMPTQ_URL ? checkUrl(env.PROMPTQ_URL, 'PROMPTQ_URL') : saved?.url;
  if (url === undefined) throw usageError('no service is known; run `promptq login URL`, or set PROMPTQ_URL');
  const token = env.PROMPTQ_TOKEN || (saved?.url === url ? saved.token : undefined);
  if (token === undefined)
    throw usageError(`there is no token for ${url}; run \`promptq login\`, or set PROMPTQ_TOKEN`);
  return { url, token: checkToken(token) };
}

export async function saveCredentials(env: Env, credentials: Credentials): Promise<string> {
  const path = credentialsPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(credentials)}\n`, { mode: 0o600, flag: 'wx' });
    // The mode of a new file is subject to the umask, which could take the owner's own rights.
    await chmod(draft, 0o600);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return path;
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
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw usageError(`can't read ${path}: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    const { url, token } = JSON.parse(text) as Partial<Credentials>;
    if (typeof url === 'string' && typeof token === 'string') return { url, token };
  } catch {
    // Falls through to the advice.
  }
  throw usageError(`${path} is damaged; run \`promptq login\` again`);
}
