import { SLOT_ACCOUNTS } from '../../lib/platform/config/worker-env.ts';

/** A system account reserved for the processes of one slot. */
export interface ServiceAccount {
  readonly uid: number;
  /** The group of all slots, so that each can use folders that jobs share. */
  readonly gid: number;
  /** A user id without an account. The process that kills this account's processes has it, so they can't kill it. */
  readonly enderUid: number;
}

/** The accounts of one worker. */
export interface ServiceAccounts {
  /** For the vendor's CLI while it makes or ends a login. */
  readonly login: ServiceAccount;
  readonly slots: readonly ServiceAccount[];
}

/** Distance between an account and its ender, larger than the number of accounts. */
const ENDER_OFFSET = 2_000;

/**
 * The accounts of a worker, counted from the first: one for logins, then one per slot. The image creates them.
 * @param numbers of the slots' accounts; two workers that share a file system must have different ones
 * @param firstUid undefined: agents run as the worker's own user, as on a laptop.
 * @throws Error if the worker is not root and so can't start processes under other accounts.
 */
export function serviceAccounts(firstUid: number | undefined, numbers: readonly number[]): ServiceAccounts | undefined {
  if (firstUid === undefined) return undefined;
  if (process.getuid?.() !== 0) throw new Error('PROMPTQ_SLOT_UID is set, so the worker must be started as root');
  const account = (number: number): ServiceAccount => ({
    uid: firstUid + number,
    gid: firstUid,
    enderUid: firstUid + number + ENDER_OFFSET,
  });
  return { login: account(0), slots: numbers.map(account) };
}

/** Distance between a slot's account, or its ender, and its fetcher's; also between the groups of both. */
const FETCHER_OFFSET = 4_000;

/**
 * The account under which the worker fetches repositories for a slot. No job runs under it, so no job can change its
 * files or read its environment. All fetchers are in one group, which contains no slot.
 */
export function fetcherOf({ uid, gid, enderUid }: ServiceAccount): ServiceAccount {
  return { uid: uid + FETCHER_OFFSET, gid: gid + FETCHER_OFFSET, enderUid: enderUid + FETCHER_OFFSET };
}

/** Whether a user id is an account of any worker of this image, regardless of its number of slots. */
export function isServiceAccount({ gid }: ServiceAccount, uid: number): boolean {
  return uid >= gid && uid <= gid + SLOT_ACCOUNTS;
}

/** User id of the files to trust as an account's; without an account, this process's own. */
export function ownerOf(account: ServiceAccount | undefined): number | undefined {
  return account?.uid ?? process.getuid?.();
}
