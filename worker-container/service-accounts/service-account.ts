import { createHash } from 'node:crypto';
import { MAX_SLOT_ACCOUNTS } from '../../lib/platform/config/worker-size.ts';
import type { SharedLocks } from '../../lib/platform/shared-lock.ts';

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

/**
 * How long (ms) a number stays taken after its worker's last renewal, and how often a worker renews. A worker that
 * can't renew gives up its jobs within minutes (`PROMPTQ_UNACKNOWLEDGED_SECONDS`), long before the lease expires.
 */
const LEASE_MS = 3_600_000;
const RENEW_INTERVAL_MS = 300_000;

/** Numbers that are tried from the lowest. The others are tried from a start that depends on the worker. */
const TRIED_IN_ORDER = 16;

interface LeaseOptions {
  readonly locks: Pick<SharedLocks, 'take' | 'release'>;
  /** The same for a worker that restarts on the same folder, so that it gets its accounts back. */
  readonly holder: string;
  readonly slots: number;
  /** How many accounts the image has. */
  readonly accounts: number;
  /** Called when another worker has one of this worker's numbers. */
  readonly onLost: () => void;
}

interface AccountLeases {
  /** The worker's accounts, as numbers among the image's: the lowest free ones of the first few. */
  readonly numbers: readonly number[];
  /** Call it once no process of the accounts is left. */
  release(): Promise<void>;
}

/**
 * Leases accounts that no other worker of the deployment has. Workers share a file system, where only the user id
 * separates one job's private folder from another job.
 * @throws Error if not enough accounts are free
 */
export async function leaseAccounts({ locks, holder, slots, accounts, onLost }: LeaseOptions): Promise<AccountLeases> {
  const numbers: number[] = [];
  const take = async (number: number) => await locks.take(lockId(number), holder, LEASE_MS);
  const release = async () => {
    for (const number of numbers) await locks.release(lockId(number), holder);
  };
  for (const number of order(holder, accounts)) {
    if (numbers.length === slots) break;
    if (await take(number)) numbers.push(number);
  }
  if (numbers.length < slots) {
    await release();
    throw new Error(`${slots} accounts are needed and ${numbers.length} of ${accounts} are free: too many workers run`);
  }
  const renew = async () => {
    for (const number of numbers) if (!(await take(number))) onLost();
  };
  // A failure does no harm: the next renewal makes up for it.
  const renewing = setInterval(() => void renew().catch(() => undefined), RENEW_INTERVAL_MS);
  renewing.unref();
  return {
    numbers,
    release: async () => {
      clearInterval(renewing);
      await release();
    },
  };
}

/**
 * The order is constant for a worker. A few workers share low numbers, so that retries mostly find their own files.
 * Many workers need not try all the taken ones.
 */
function* order(holder: string, accounts: number): Iterable<number> {
  for (let number = 1; number <= TRIED_IN_ORDER; number += 1) yield number;
  const others = accounts - TRIED_IN_ORDER;
  const first = createHash('sha256').update(holder).digest().readUInt32BE() % others;
  for (let at = 0; at < others; at += 1) yield TRIED_IN_ORDER + 1 + ((first + at) % others);
}

function lockId(number: number): string {
  return `account#${number}`;
}
