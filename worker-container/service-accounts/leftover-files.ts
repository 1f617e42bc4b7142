import { constants, type FileHandle, lstat, open, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Folders, namesBelow } from '../../lib/jobs/lifecycle/working-folder.ts';
import { isServiceAccount, type ServiceAccount } from './service-account.ts';
import { entriesOf } from './untrusted-files.ts';

/** Folders of the machine in which every account can make files. */
const SHARED_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue'];
/** How long (ms) to remove files. What is left then is removed after the next job. */
const REMOVE_TIMEOUT_MS = 10_000;
/** Entries of other slots' folders that are looked at: a job's tree in `/tmp` must not hold up the other slots. */
const MOST_OF_OTHERS = 5_000;
/** Deepest nesting of folders; each level takes two descriptors. */
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
 * @param options.startedAt when this process started, in milliseconds since 1970
 */
export async function removeLeftovers(
  account: ServiceAccount,
  { folders, log }: { readonly folders: Folders; readonly log: Pick<Logger, 'warn'> },
  { startedAt = performance.timeOrigin, mostOfOthers = MOST_OF_OTHERS } = {},
): Promise<void> {
  const over = AbortSignal.timeout(REMOVE_TIMEOUT_MS);
  const places = SHARED_FOLDERS.map((path) => {
    const mayBeNamed = [folders.workspaces, ...folders.roots].some((root) => areNested(root, path));
    const stays: Stays = (name, bornAt) => mayBeNamed && (bornAt < startedAt || isNamed(join(path, name)));
    return { path, stays };
  });
  const run = async (pass: Pass, { path, stays }: (typeof places)[number]) => {
    const folder = await open(path, DIRECTORY_ITSELF).catch(() => undefined);
    try {
      if (folder !== undefined) await removeIn(folder, account, pass, { depth: 0, isOwn: true, stays });
    } catch (error) {
      log.warn(`what a job left in ${path} was not removed`, error as Error);
    } finally {
      await folder?.close();
    }
  };
  const first: Pass = { over, left: 0, hasOthers: false };
  for (const place of places) await run(first, place);
  if (!first.hasOthers) return;
  // Last, and in part: the jobs of other slots may be filling their folders.
  const second: Pass = { ...first, left: mostOfOthers };
  for (const place of places) await run(second, place);
}

type Stays = (name: string, bornAt: number) => boolean;

function isNamed(path: string): boolean {
  return Array.from(named).some((folder) => areNested(folder, path));
}

/** Whether one of two folders is the other one, or in it. */
function areNested(one: string, other: string): boolean {
  return namesBelow(one, other) !== undefined || namesBelow(other, one) !== undefined;
}

/** A pass through the shared folders. */
interface Pass {
  readonly over: AbortSignal;
  /** How many entries of other slots' folders are still looked at; 0: no such folder is entered. */
  left: number;
  /** Whether there are folders of other slots. */
  hasOthers: boolean;
}

/** Removes the account's files in an open folder, and below it in folders of any slot: no link leads elsewhere. */
async function removeIn(
  folder: FileHandle,
  account: ServiceAccount,
  pass: Pass,
  { depth, isOwn: isInOwn, stays }: { readonly depth: number; readonly isOwn: boolean; readonly stays: Stays },
): Promise<void> {
  const path = `/proc/self/fd/${folder.fd}`;
  for await (const at of entriesOf(path)) {
    pass.over.throwIfAborted();
    if (!isInOwn) pass.left -= 1;
    if (pass.left < 0) throw new Error('the folders of other slots in it hold too many files');
    const found = await lstat(at).catch(() => undefined);
    if (found === undefined || !isServiceAccount(account, found.uid)) continue;
    if (stays(at.subarray(path.length + 1).toString(), found.birthtimeMs)) continue;
    const isOwn = found.uid === account.uid;
    if (!found.isDirectory()) {
      if (isOwn) await unlink(at).catch(() => undefined);
      continue;
    }
    pass.hasOthers ||= !isOwn;
    const isEntered = depth < DEEPEST && (isOwn || pass.left > 0);
    const below = isEntered ? await open(at, DIRECTORY_ITSELF).catch(() => undefined) : undefined;
    try {
      if (below !== undefined) await removeIn(below, account, pass, { depth: depth + 1, isOwn, stays: () => false });
    } finally {
      await below?.close();
    }
    if (isOwn) await rmdir(at).catch(() => undefined);
  }
}
