import { SLOT_ACCOUNTS } from '../../lib/platform/config/env.ts';

/** An account of this system that processes of one slot run under, and nobody else does. */
export interface ServiceAccount {
  readonly uid: number;
  /** The group that all slots are in, so that folders which jobs share stay usable by each. */
  readonly gid: number;
  /** A user id that is nobody's: whoever ends this account's processes bears it, so that they can't end him first. */
  readonly enderUid: number;
}

/** The accounts of one worker. */
export interface ServiceAccounts {
  /** For the vendor's CLI where it makes or ends a login. */
  readonly login: ServiceAccount;
  readonly slots: readonly ServiceAccount[];
}

/** Between an account and its ender; above the number of accounts. */
const ENDER_OFFSET = 2_000;

/**
 * The accounts of a worker, counted from the first: one for logins, then one a slot. The image has made them.
 * @param numbers of the slots' accounts; two workers that share a file system must have different ones
 * @param firstUid undefined: agents run as the worker's own user, as on a laptop.
 * @throws Error where only root could start processes under other accounts.
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

/** Between the accounts of slots, with their enders, and those that fetch for them; and between the groups of both. */
const FETCHER_OFFSET = 4_000;

/**
 * The account under which the worker fetches repositories for a slot. No job runs under it, so no job can change what it
 * keeps or read its environment. All fetchers are of one group, which no slot is in.
 */
export function fetcherOf({ uid, gid, enderUid }: ServiceAccount): ServiceAccount {
  return { uid: uid + FETCHER_OFFSET, gid: gid + FETCHER_OFFSET, enderUid: enderUid + FETCHER_OFFSET };
}

/** Whether a user id is that of an account of a worker of this image, however many slots it has. */
export function isServiceAccount({ gid }: ServiceAccount, uid: number): boolean {
  return uid >= gid && uid <= gid + SLOT_ACCOUNTS;
}

/** Whose files are to be trusted as those of an account; without one, this process's own. */
export function ownerOf(account: ServiceAccount | undefined): number | undefined {
  return account?.uid ?? process.getuid?.();
}
