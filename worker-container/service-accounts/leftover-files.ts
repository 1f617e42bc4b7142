import { constants, type FileHandle, lstat, open, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Folders, namesBelow } from '../../lib/jobs/lifecycle/working-folder.ts';
import { isServiceAccount, type ServiceAccount } from './service-account.ts';

/** Folders of the machine in which every account can make files. */
const SHARED_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue'];
/** How long (ms) to remove files. What is left then is removed after the next job. */
const REMOVE_TIMEOUT_MS = 10_000;
/** Deepest nesting of folders; each level takes a descriptor. */
const DEEPEST = 100;
const DIRECTORY_ITSELF = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Folders outside the workspaces that jobs have named by `cwd`. */
const named = new Set<string>();

/** Keeps a folder that a `cwd` names: jobs share it deliberately. */
export function keepNamedFolder(path: string): void {
  named.add(path);
}

/**
 * Removes what an account has made in the folders that all accounts share: the next job under the account, perhaps of
 * another project, must not find it. Files of other users stay, also below the account's folders. Call it when no
 * process of the account is left. Never rejects.
 * @param folders where jobs may work. There, folders that a `cwd` names stay, and what is older than this process,
 * which may have been named before it started.
 * @param startedAt when this process started, in milliseconds since 1970
 */
export async function removeLeftovers(
  account: ServiceAccount,
  { folders, log }: { readonly folders: Folders; readonly log: Pick<Logger, 'warn'> },
  startedAt = performance.timeOrigin,
): Promise<void> {
  const over = AbortSignal.timeout(REMOVE_TIMEOUT_MS);
  for (const path of SHARED_FOLDERS) {
    const mayBeNamed = [folders.workspaces, ...folders.roots].some((root) => areNested(root, path));
    const stays: Stays = (name, bornAt) => mayBeNamed && (bornAt < startedAt || isNamed(join(path, name)));
    const folder = await open(path, DIRECTORY_ITSELF).catch(() => undefined);
    try {
      if (folder !== undefined) await removeIn(folder, account, { over, depth: 0, stays });
    } catch (error) {
      log.warn(`what a job left in ${path} was not removed`, error as Error);
    } finally {
      await folder?.close();
    }
  }
}

type Stays = (name: string, bornAt: number) => boolean;

function isNamed(path: string): boolean {
  return Array.from(named).some((folder) => areNested(folder, path));
}

/** Whether one of two folders is the other one, or in it. */
function areNested(one: string, other: string): boolean {
  return namesBelow(one, other) !== undefined || namesBelow(other, one) !== undefined;
}

/** Removes the account's files in an open folder, and below it in folders of any slot: no link leads elsewhere. */
async function removeIn(
  folder: FileHandle,
  account: ServiceAccount,
  { over, depth, stays }: { readonly over: AbortSignal; readonly depth: number; readonly stays: Stays },
): Promise<void> {
  const path = `/proc/self/fd/${folder.fd}`;
  // Names are bytes, not always text.
  for (const name of await readdir(path, { encoding: 'buffer' })) {
    over.throwIfAborted();
    const at = Buffer.concat([Buffer.from(`${path}/`), name]);
    const found = await lstat(at).catch(() => undefined);
    if (found === undefined || !isServiceAccount(account, found.uid)) continue;
    if (stays(name.toString(), found.birthtimeMs)) continue;
    const isOwn = found.uid === account.uid;
    if (!found.isDirectory()) {
      if (isOwn) await unlink(at).catch(() => undefined);
      continue;
    }
    const below = depth < DEEPEST ? await open(at, DIRECTORY_ITSELF).catch(() => undefined) : undefined;
    try {
      if (below !== undefined) await removeIn(below, account, { over, depth: depth + 1, stays: () => false });
    } finally {
      await below?.close();
    }
    if (isOwn) await rmdir(at).catch(() => undefined);
  }
}
