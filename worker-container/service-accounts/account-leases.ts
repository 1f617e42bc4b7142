import { createHash } from 'node:crypto';
import type { SharedLocks } from '../../lib/platform/shared-lock.ts';

/**
 * How long (ms) a number stays taken after its worker's last renewal, and how often a worker renews. A worker that
 * can't renew gives up its jobs within minutes (`PROMPTQ_UNACKNOWLEDGED_SECONDS`), long before the lease expires.
 */
const LEASE_MS = 3_600_000;
const RENEW_INTERVAL_MS = 300_000;

/** Numbers that are tried from the lowest. The others are tried from a start that depends on the worker. */
const TRIED_IN_ORDER = 16;

export interface LeaseOptions {
  readonly locks: Pick<SharedLocks, 'take' | 'release'>;
  /** The same for a worker that restarts on the same folder, so that it gets its accounts back. */
  readonly holder: string;
  readonly slots: number;
  /** How many accounts the image has. */
  readonly accounts: number;
  /** Called when another worker has one of this worker's numbers. */
  readonly onLost: () => void;
}

export interface AccountLeases {
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
