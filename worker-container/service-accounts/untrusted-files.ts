import { randomBytes } from 'node:crypto';
import {
  chown,
  constants,
  type FileHandle,
  lchown,
  lstat,
  open,
  opendir,
  readdir,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { runSystemTool } from '../processes/process-scan.ts';
import { isServiceAccount, type ServiceAccount } from './service-account.ts';

/**
 * Files in places where an account can put anything, handled by a worker that may read and write everything: no link of
 * the account's leads the worker to another file.
 */

/** Most bytes to read; these files are small. */
const MAX_BYTES = 1024 * 1024;
/** Bytes that are read at once. */
const PART_BYTES = 64 * 1024;

/**
 * Reads a regular file that belongs to a user, not through a link.
 * @returns undefined: there is no such file.
 */
export async function readOwned(path: string, isOwner: (uid: number) => boolean): Promise<string | undefined> {
  // Opening must neither follow a link nor wait for a FIFO's writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    return found.isFile() && isOwner(found.uid) ? await textOf(file) : undefined;
  } finally {
    await file.close();
  }
}

/** undefined: it is too large, whatever size it has said that it has. */
async function textOf(file: FileHandle): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PART_BYTES), 0, PART_BYTES, length);
    if (bytesRead === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(buffer.subarray(0, bytesRead));
    length += bytesRead;
    if (length > MAX_BYTES) return undefined;
  }
}

/** Writes a file that others may read. Replaces anything with that name. */
export async function putFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  await writeFile(temporary, text, { mode: 0o644, flag: 'wx' });
  await rename(temporary, path).catch(async (error: unknown) => {
    await rm(temporary, { force: true });
    throw error;
  });
}

/** Gives an account a tree that this process created and no one else can reach yet. Without one, does nothing. */
export async function giveTree(path: string, account: ServiceAccount | undefined): Promise<void> {
  if (account === undefined) return;
  const inside = await readdir(path, { recursive: true });
  for (const name of ['', ...inside]) await lchown(join(path, name), account.uid, account.gid);
}

/**
 * Gives a tree to an account while others may be changing it. Includes only files of service accounts without a second
 * name, which could be elsewhere. Each entry is opened, checked and given by one descriptor, so that no link or rename
 * adds another.
 */
export async function takeTree(path: string, account: ServiceAccount): Promise<void> {
  const top = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await takeOpen(top, account, 0);
  } finally {
    await top.close();
  }
}

/** Deepest nesting of folders; each level takes two descriptors. */
const DEEPEST = 200;
/** open(2): refers to a file of any kind without reading it or waiting for it. Node has no constant for it. */
const O_PATH = 0o10000000;

async function takeOpen(entry: FileHandle, account: ServiceAccount, depth: number): Promise<void> {
  const path = `/proc/self/fd/${entry.fd}`;
  const found = await entry.stat();
  const isGivable = isServiceAccount(account, found.uid) && (found.isDirectory() || found.nlink === 1);
  if (isGivable && found.uid !== account.uid) await chown(path, account.uid, account.gid);
  if (!found.isDirectory() || depth >= DEEPEST) return;
  for await (const at of entriesOf(path)) {
    const below = await open(at, O_PATH | constants.O_NOFOLLOW).catch(unlessGone);
    try {
      if (below !== undefined) await takeOpen(below, account, depth + 1);
    } finally {
      await below?.close();
    }
  }
}

/** Most names that are read at once. */
const NAMES_AT_ONCE = 100;

/**
 * The paths of a folder's entries, a few at a time: a list of a million names stops this process for seconds. Names are
 * bytes, not always text; latin1 keeps each byte.
 */
export async function* entriesOf(path: string): AsyncGenerator<Buffer> {
  for await (const { name } of await opendir(path, { encoding: 'latin1', bufferSize: NAMES_AT_ONCE }))
    yield Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name, 'latin1')]);
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/**
 * Removes a tree while others may be changing it: `rm` works on open folders, so that no link redirects it. A folder that
 * its owner can't write is made writable first.
 */
export async function removeTree(path: string): Promise<void> {
  // Usually nothing is there, and starting a process takes milliseconds.
  if ((await lstat(path).catch(() => undefined)) === undefined) return;
  await runSystemTool('rm', ['-rf', '--', path]).catch(async (error: unknown) => {
    // The superuser needs no permission, and must change none: a job could put another folder in the place of one.
    if (process.getuid?.() === 0) throw error;
    await runSystemTool('find', ['-P', path, '-type', 'd', '!', '-perm', '-700', '-exec', 'chmod', 'u+rwx', '{}', ';']);
    await runSystemTool('rm', ['-rf', '--', path]);
  });
}
