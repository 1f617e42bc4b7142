import type { FileHandle } from 'node:fs/promises';
import { type FolderUser, isPrivate, ownFolder } from '../../lib/jobs/lifecycle/working-folder.ts';
import { isServiceAccount, type ServiceAccount } from '../service-accounts/service-account.ts';
import { takeTree } from '../service-accounts/untrusted-files.ts';
import { pathOf } from './open-folder.ts';

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
