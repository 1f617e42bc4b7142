import { constants, type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type FolderUser, isPrivate, ownFolder } from '../../lib/jobs/lifecycle/working-folder.ts';
import { isLinux } from '../../lib/platform/platform-name.ts';
import { isServiceAccount, type ServiceAccount } from '../service-accounts/service-account.ts';
import { takeTree } from '../service-accounts/untrusted-files.ts';

/** A step from a root to a job's folder. */
interface Step {
  /** From the root to here. */
  readonly names: readonly string[];
  readonly isNew: boolean;
  readonly isWorkspaces: boolean;
  readonly account: ServiceAccount;
  readonly user: FolderUser;
}

/** Owner of what belongs to no account. */
const ROOT = 0;
/** Read, write and search of the group that all slots are in. */
const GROUP = 0o070;

/**
 * Lets the account into one folder of the path.
 * @returns whether it is a private folder that no other job may use
 */
export async function openTo(folder: FileHandle, step: Step): Promise<boolean> {
  const { names, isNew, isWorkspaces, user, account } = step;
  if (isWorkspaces && names.length === 1) {
    await keepProject(folder, account);
    return false;
  }
  const { uid: owner, gid: recorded, mode } = await folder.stat();
  const isRootOfPrivate = isWorkspaces && names.length === 2 && isPrivate(names);
  const isOwn = isRootOfPrivate && names[1] === (user.continues === undefined ? user.id : ownFolder(user));
  const isOpen = (mode & GROUP) === GROUP;
  if (isRootOfPrivate && !isNew && owner === ROOT && recorded !== account.gid)
    await reopen(folder, { recorded, isOwn, isShared: !isOwn || isOpen, account });
  else if (isNew || (isWorkspaces && owner === ROOT)) {
    // A folder that the worker owns is new, or the worker died before giving it away.
    await folder.chmod(isOwn ? 0o700 : isRootOfPrivate ? 0o770 : 0o775);
    await folder.chown(account.uid, account.gid);
    return isOwn;
  } else if (isRootOfPrivate && isServiceAccount(account, owner) && !isOpen) {
    // No one else works here: until now it was open to attempts of one job only.
    if (!isOwn) await openToGroup(folder, owner, account.gid);
    else if (owner !== account.uid) {
      await takeContent(folder, account);
      await folder.chown(account.uid, account.gid);
    }
  }
  return isOwn && !isOpen;
}

/**
 * Closes a private folder to its account: only the worker enters it. The group records whose files are in it, so that
 * the same account gets it back without a walk. No process has this group. Does nothing if another attempt has taken
 * it over.
 * @param over aborts when it is too late, since others may work in the folder
 */
export async function closeTo(folder: FileHandle, account: ServiceAccount, over: AbortSignal): Promise<void> {
  const { uid, mode } = await folder.stat();
  if (uid !== account.uid || over.aborted) return;
  await folder.chown(ROOT, account.uid);
  // Its own job may have opened it to other slots.
  if ((mode & 0o777) !== 0o700) await folder.chmod(0o700);
}

/** Lets the account into a private folder that is closed, or in which a worker died while it handed over the files. */
async function reopen(
  folder: FileHandle,
  {
    recorded,
    isOwn,
    isShared,
    account,
  }: Pick<Step, 'account'> & { readonly recorded: number; readonly isOwn: boolean; readonly isShared: boolean },
): Promise<void> {
  const isKnown = isServiceAccount(account, recorded);
  const owner = isOwn || !isKnown ? account.uid : recorded;
  if (owner !== recorded) await takeContent(folder, account);
  await folder.chmod(isShared ? 0o770 : 0o700);
  await folder.chown(owner, account.gid);
}

/** Gives the account what is in a private folder. If the worker dies meanwhile, no owner is recorded. */
async function takeContent(folder: FileHandle, account: ServiceAccount): Promise<void> {
  await folder.chown(ROOT, ROOT);
  await takeTree(`${pathOf(folder)}/.`, account);
}

/** A project's folder belongs to the worker. Its owner could put a link in place of another job's folder. */
async function keepProject(folder: FileHandle, account: ServiceAccount): Promise<void> {
  const { uid, mode } = await folder.stat();
  if (isServiceAccount(account, uid)) await folder.chown(0, 0);
  if ((isServiceAccount(account, uid) || uid === 0) && (mode & 0o777) !== 0o755) await folder.chmod(0o755);
}

/** Only the owner can change a mode. Meanwhile the group has the access of the old owner. */
async function openToGroup(folder: FileHandle, owner: number, gid: number): Promise<void> {
  await folder.chown(0, gid);
  await folder.chmod(0o770);
  await folder.chown(owner, gid);
}

/** Opens folders, never links: no one can plant a link that leads elsewhere. */
const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY;
const DIRECTORY_ITSELF = DIRECTORY | constants.O_NOFOLLOW;

/** Opens a folder that an operator configured. Links to it are followed. */
export async function openRoot(path: string): Promise<FileHandle> {
  return named(await open(path, DIRECTORY), path);
}

/** Where open folders were found. */
const names = new WeakMap<FileHandle, string>();

/**
 * A path by which any process of this user reaches an open folder, even after a rename. Where only Linux could give one,
 * the path by which the folder was opened: there, jobs have no separate accounts, and no rights that the worker lacks.
 */
export function pathOf(folder: FileHandle): string {
  return isLinux() ? `/proc/${process.pid}/fd/${folder.fd}` : (names.get(folder) ?? '');
}

function named(folder: FileHandle, path: string): FileHandle {
  names.set(folder, path);
  return folder;
}

/** Opens a folder relative to its open parent. */
async function openBelow(above: FileHandle, name: string): Promise<FileHandle> {
  const path = join(pathOf(above), name);
  const folder = await open(path, DIRECTORY_ITSELF).catch((cause: unknown) => {
    throw new Error(`there is a link or a file named ${name} on the way, or it can't be opened`, { cause });
  });
  return named(folder, path);
}

/**
 * Opens a folder relative to its open parent, and creates it if needed.
 * @returns isNew: it was just created and belongs to this process's user.
 */
export async function stepInto(above: FileHandle, name: string): Promise<{ below: FileHandle; isNew: boolean }> {
  const isMade = await mkdir(`${pathOf(above)}/${name}`, { mode: 0o700 }).then(
    () => true,
    () => false,
  );
  const below = await openBelow(above, name);
  // Users who may write to the parent can have replaced it.
  const { uid, mode } = await below.stat();
  return { below, isNew: isMade && uid === process.getuid?.() && (mode & 0o777) === 0o700 };
}

/**
 * Opens a folder below a root, step by step, and passes it to `work`.
 * @returns undefined if a folder on the way is missing, or is none.
 */
export async function withFolder<T>(
  root: string,
  names: readonly string[],
  work: (folder: FileHandle) => Promise<T>,
): Promise<T | undefined> {
  let folder = await openRoot(root).catch(() => undefined);
  try {
    for (const name of names) {
      const below: FileHandle | undefined = folder && (await openBelow(folder, name).catch(() => undefined));
      await folder?.close();
      folder = below;
    }
    return folder && (await work(folder));
  } finally {
    await folder?.close();
  }
}
