import { describe, expect, test } from 'vitest';
import { type ServiceAccounts, serviceAccounts } from '../../../worker-container/service-accounts/service-account.ts';

const isRoot = process.getuid?.() === 0;

/** Tests that need root, as the worker is in its container. CI must run them; elsewhere they are skipped, and say so. */
export function describeAsRoot(name: string, tests: () => void): void {
  if (!isRoot) console.warn(`skipped: ${name}: only root can start processes under other accounts`);
  describe(name, () => {
    test.runIf(process.env.CI !== undefined)('is tested in CI', () => expect(isRoot).toBe(true));
    describe.runIf(isRoot)('as root', tests);
  });
}

/** Above the ids of people and services, and more than one set of accounts takes. */
const [FIRST, STEP] = [1_000_000, 200];
let sets = 0;

/** The first user id of accounts that nobody else on this machine has, another test run neither. */
export function newFirstUid(): number {
  sets += 1;
  return FIRST + (process.pid % 100_000) * 10 * STEP + sets * STEP;
}

export function newAccounts(slots: number): ServiceAccounts {
  const accounts = serviceAccounts(newFirstUid(), slots);
  if (accounts === undefined) throw new Error('there are no accounts');
  return accounts;
}
