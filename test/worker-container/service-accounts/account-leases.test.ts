import { afterAll, beforeAll, expect, test } from 'vitest';
import { SharedLocks } from '../../../lib/platform/shared-lock.ts';
import { leaseAccounts } from '../../../worker-container/service-accounts/service-account.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
let locks: SharedLocks;
beforeAll(async () => {
  deployment = await emulateDeployment();
  locks = new SharedLocks({ ...deployment.registry });
});
afterAll(async () => await deployment.stop());

const ACCOUNTS = 1_000;
const lease = async (
  holder: string,
  { slots = 1, accounts = ACCOUNTS, using = locks as Pick<SharedLocks, 'take' | 'release'> } = {},
) => await leaseAccounts({ locks: using, holder, slots, accounts, onLost: () => undefined });

test('many workers that start at once have different accounts, and one that starts again has its own', async () => {
  const names = Array.from({ length: 30 }, (_, at) => `worker ${at}`);
  const leases = await Promise.all(names.map(async (name) => await lease(name, { slots: 2 })));
  const numbers = leases.flatMap((each) => each.numbers);
  expect(new Set(numbers).size).toBe(60);
  expect(Math.max(...numbers)).toBeLessThanOrEqual(ACCOUNTS);
  const again = await lease('worker 7', { slots: 2 });
  expect(again.numbers.toSorted()).toEqual(leases[7]?.numbers.toSorted());
  for (const each of [...leases, again]) await each.release();
  const next = await lease('the next');
  expect(next.numbers).toEqual([1]);
  await next.release();
});

test('a worker without a free account does not start, and keeps none of those it got', async () => {
  const taken = new Set<string>();
  const few = {
    take: async (id: string) => id === 'account#5' && Boolean(taken.add(id)),
    release: async (id: string) => void taken.delete(id),
  };
  await expect(lease('too many', { slots: 2, using: few })).rejects.toThrow(`1 of ${ACCOUNTS} are free`);
  expect([...taken]).toEqual([]);
});
