import { expect, onTestFinished, test, vi } from 'vitest';
import type { LiveWorkers, WorkerInfo } from '../../../lib/workers/live-workers.ts';
import { Registration } from '../../../worker-container/pool/registration.ts';

/** The registration of a worker in a registry that refuses so many writes. */
function registrationAfter(failures: number) {
  let left = failures;
  const registered: string[] = [];
  const workers = {
    register: async ({ id }: Parameters<LiveWorkers['register']>[0]) => {
      left -= 1;
      if (left >= 0) throw new Error('throttled');
      registered.push(id);
      return true;
    },
    deregister: async () => undefined,
  };
  const refused = vi.fn();
  const registration = new Registration({
    ...{ workers, log: { warn: refused }, unacknowledgedLimitMs: 600_000, onUnacknowledged: () => undefined },
    describe: async () => ({ id: 'worker-1' }) as never,
  });
  onTestFinished(() => registration.end());
  return { registration, registered, refused, workers };
}

test('a worker whose first registrations fail starts once it is registered', async () => {
  const { registration, registered, refused } = registrationAfter(2);
  await registration.start(new AbortController().signal);
  expect(registered).toEqual(['worker-1']);
  expect(refused).toHaveBeenCalledTimes(2);
});

test('a worker whose first registration arrives too late registers again before it starts', async () => {
  const { registration, registered, workers } = registrationAfter(0);
  const { register } = workers;
  workers.register = async (worker) => (await register(worker)) && registered.length > 1;
  await registration.start(new AbortController().signal);
  expect(registered).toEqual(['worker-1', 'worker-1']);
});

test('a worker that is stopped while nothing answers its registration waits no longer', async () => {
  const { registration, workers } = registrationAfter(0);
  const draining = new AbortController();
  workers.register = async () => {
    draining.abort();
    return await new Promise<never>(() => undefined);
  };
  await expect(registration.start(draining.signal)).resolves.toBeUndefined();
});

test('a worker that is stopped before it is registered waits no longer', async () => {
  const { registration, registered, refused } = registrationAfter(Number.POSITIVE_INFINITY);
  const draining = new AbortController();
  refused.mockImplementation(() => draining.abort());
  await registration.start(draining.signal);
  expect(registered).toEqual([]);
});

test('a worker that is being stopped is no longer announced as idle, or as one that takes jobs', async () => {
  const { registration, workers } = registrationAfter(0);
  const announced: WorkerInfo['leaving'][] = [];
  workers.register = async ({ leaving }: Parameters<LiveWorkers['register']>[0]) => {
    announced.push(leaving);
    return true;
  };
  const states = ['idle', 'retired', undefined, 'outdated', 'stopped', undefined, 'retired', 'idle'] as const;
  for (const why of states) await registration.announceDraining(why);
  expect(announced).toEqual(['idle', 'retired', 'stopped']);
});
