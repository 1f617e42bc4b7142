import { spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';
import { WORKER_RIGHTS } from '../../../lib/platform/config/worker-rights.ts';
import { type ServiceAccounts, serviceAccounts } from '../../../worker-container/service-accounts/service-account.ts';

/** `setpriv` with exactly the rights of a deployed worker's root. */
export const UNDER_WORKER_RIGHTS = [
  'setpriv',
  `--bounding-set=${['-all', ...WORKER_RIGHTS.map((right) => `+${right.toLowerCase()}`)].join(',')}`,
  '--inh-caps=-all',
  '--',
];

/** Above the ids of people and services, with room for several sets of accounts, of which none is in another's blocks. */
const [FIRST, STEP] = [1_000_000, 8_500];
let sets = 0;

/**
 * Tests that need the worker's rights in its container: root, which may start processes under separate accounts. Where
 * the tests have fewer rights, or a container has no such accounts, they are skipped, and a run of CI names them.
 */
export function describeAsRoot(name: string, tests: () => void): void {
  const why = whyNotRoot();
  if (why === undefined) describe(name, tests);
  else describe(name, () => test.skip(why, () => undefined));
}

function whyNotRoot(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can start processes under other accounts';
  const [command = '', ...args] = UNDER_WORKER_RIGHTS;
  const tried = spawnSync(command, [...args, 'setpriv', `--reuid=${FIRST}`, '--clear-groups', 'true']);
  if (tried.status === 0) return undefined;
  return `root can't start processes under other accounts here: ${tried.error?.message ?? tried.stderr.toString()}`;
}

/** The first user id of accounts that no other process of this machine uses, nor another test run. */
export function newFirstUid(): number {
  sets += 1;
  return FIRST + (process.pid % 20_000) * 10 * STEP + sets * STEP;
}

export function newAccounts(slots: number): ServiceAccounts {
  const numbers = Array.from({ length: slots }, (_, slot) => slot + 1);
  const accounts = serviceAccounts(newFirstUid(), numbers);
  if (accounts === undefined) throw new Error('there are no accounts');
  return accounts;
}
