import { randomBytes } from 'node:crypto';
import {
  chown,
  constants,
  type FileHandle,
  lchown,
  lstat,
  open,
  readdir,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { runSystemTool } from '../processes/system-tool.ts';
import { isServiceAccount, type ServiceAccount } from './service-account.ts';

/**
 * Files in places where an account can put what it likes, handled by a worker that may read and write everything: no
 * link of theirs leads it to another file.
 */

/** Bytes; what is read so is small. */
const MOST = 1024 * 1024;

/**
 * Reads a regular file, not through a link, if it belongs to a user.
 * @returns undefined: there is no such file.
 */
export async function readOwned(path: string, isOwner: (uid: number) => boolean): Promise<string | undefined> {
  // Opening must neither follow a link nor wait for whoever writes to a FIFO.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    return found.isFile() && isOwner(found.uid) && found.size <= MOST ? await file.readFile('utf8') : undefined;
  } finally {
    await file.close();
  }
}

/** Writes a file that others may read, putting it in the place of whatever has the name. */
export async function putFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  await writeFile(temporary, text, { mode: 0o644, flag: 'wx' });
  await rename(temporary, path).catch(async (error: unknown) => {
    await rm(temporary, { force: true });
    throw error;
  });
}

/** Gives a tree that this process has made, and nobody else could reach so far, to an account; without one, to nobody. */
export async function giveTree(path: string, account: ServiceAccount | undefined): Promise<void> {
  if (account === undefined) return;
  const inside = await readdir(path, { recursive: true });
  for (const name of ['', ...inside]) await lchown(join(path, name), account.uid, account.gid);
}

/**
 * Gives a tree to an account in which others may be at work: what belongs to an account and has no second name, which
 * could be elsewhere. Each entry is found, judged and given by one descriptor, so that no link or rename brings in more.
 */
export async function takeTree(path: string, account: ServiceAccount): Promise<void> {
  const top = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await takeOpen(top, account, 0);
  } finally {
    await top.close();
  }
}

/** Folders below one another; each takes a descriptor. */
const DEEPEST = 200;
/** open(2): names a file of any kind, without reading it or waiting for it. Node has no name for it. */
const O_PATH = 0o10000000;

async function takeOpen(entry: FileHandle, account: ServiceAccount, depth: number): Promise<void> {
  const path = `/proc/self/fd/${entry.fd}`;
  const found = await entry.stat();
  const isGivable = isServiceAccount(account, found.uid) && (found.isDirectory() || found.nlink === 1);
  if (isGivable && found.uid !== account.uid) await chown(path, account.uid, account.gid);
  if (!found.isDirectory() || depth >= DEEPEST) return;
  // Names are bytes, which need not be text.
  for (const name of await readdir(path, { encoding: 'buffer' })) {
    const at = Buffer.concat([Buffer.from(`${path}/`), name]);
    const below = await open(at, O_PATH | constants.O_NOFOLLOW).catch(unlessGone);
    try {
      if (below !== undefined) await takeOpen(below, account, depth + 1);
    } finally {
      await below?.close();
    }
  }
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Removes a tree in which others may be at work: `rm` goes by open folders, so that no link leads it elsewhere. */
export async function removeTree(path: string): Promise<void> {
  // Mostly nothing is there, and a process takes milliseconds.
  if ((await lstat(path).catch(() => undefined)) === undefined) return;
  await runSystemTool('rm', ['--recursive', '--force', '--', path]);
}
