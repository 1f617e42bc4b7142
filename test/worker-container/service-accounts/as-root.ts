import { spawnSync } from 'node:child_process';
import { describe, test } from 'vitest';
import { WORKER_RIGHTS } from '../../../lib/platform/config/worker-rights.ts';
import { type ServiceAccounts, serviceAccounts } from '../../../worker-container/service-accounts/service-account.ts';

/** `setpriv` with what a deployed worker's root may do, and no more. */
export const UNDER_WORKER_RIGHTS = [
  'setpriv',
  `--bounding-set=${['-all', ...WORKER_RIGHTS.map((right) => `+${right.toLowerCase()}`)].join(',')}`,
  '--inh-caps=-all',
  '--',
];

/** Above the ids of people and services, and more than one set of accounts takes. */
const [FIRST, STEP] = [1_000_000, 8_000];
let sets = 0;

/**
 * Tests that need what the worker is in its container: root, that may start processes under accounts of its own. Where
 * the tests run as less, or in a container that has no such accounts, they are skipped, and a run of CI names them.
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

/** The first user id of accounts that nobody else on this machine has, another test run neither. */
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
