import { MAX_SLOT_ACCOUNTS } from '../../lib/platform/config/worker-size.ts';

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

/**
 * The user ids of accounts come in blocks, whose offsets leave room for enders and fetchers. Files keep their owners when
 * a deployment gets a newer image, so none of these three may change.
 */
const BLOCK = { accounts: 1_000, distance: 10_000 } as const;
/** Distance between an account and its ender, at least the number of accounts of a block. */
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
  const account = (number: number) => accountOf(firstUid, number);
  return { login: account(0), slots: numbers.map(account) };
}

/** @param number 0: for logins; others: of a slot */
export function accountOf(firstUid: number, number: number): ServiceAccount {
  const uid = firstUid + number + blockOf(number) * (BLOCK.distance - BLOCK.accounts);
  return { uid, gid: firstUid, enderUid: uid + ENDER_OFFSET };
}

/** The login's account is number 0 and in the first block. */
function blockOf(number: number): number {
  return Math.trunc((number - 1) / BLOCK.accounts);
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

/** Whether a user id is an account of any worker of this deployment, regardless of how many accounts its image has. */
export function isServiceAccount({ gid }: ServiceAccount, uid: number): boolean {
  if (uid === gid) return true;
  const place = uid - gid - 1;
  const inBlock = place % BLOCK.distance;
  return place >= 0 && inBlock < BLOCK.accounts && Math.floor(place / BLOCK.distance) <= blockOf(MAX_SLOT_ACCOUNTS);
}

/** User id of the files to trust as an account's; without an account, this process's own. */
export function ownerOf(account: ServiceAccount | undefined): number | undefined {
  return account?.uid ?? process.getuid?.();
}
