import { beforeEach, expect, it } from 'vitest';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { requireRoom, takeTurn } from '../../../../lib/jobs/threads/take-turn.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';
import { anEnded } from './known-threads.ts';

const THREAD = 'job_first';
const waits = {
  thread_id: THREAD,
  continues: THREAD,
  reason: 'waiting_for_thread',
  parked: 'waiting_for_thread',
} as const;

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});
const storeFirst = async (more: Partial<Job> = {}) =>
  await deployment.store({ ...anEnded(THREAD), thread_id: THREAD, turn: 1, ...more });

it.each<Partial<Job>>([{ status: 'FAILED' }, { status: 'SUCCEEDED' }])(
  'a job whose turn comes after an end starts whatever that was: %o',
  async (first) => {
    await storeFirst(first);
    const taken = await takeTurn(deployment, await deployment.store({ id: 'job_second', ...waits }));
    expect(taken).toMatchObject({ turn: 2, after_any: true, reason: 'waiting_for_worker' });
    expect(taken).not.toHaveProperty('parked');
  },
);

it('a job whose turn comes before an end waits for it, though it may follow any end', async () => {
  await storeFirst({ status: 'RUNNING' });
  const second = await takeTurn(deployment, await deployment.store({ id: 'job_second', ...waits, after_any: true }));
  expect(second).toMatchObject({ turn: 2, parked: 'waiting_for_thread', waits_for: THREAD, after_any: true });
  const third = await takeTurn(deployment, await deployment.store({ id: 'job_third', ...waits }));
  expect(third).toMatchObject({ turn: 3, parked: 'waiting_for_thread', waits_for: 'job_second' });
  expect(third).not.toHaveProperty('after_any');
});

it('a job that waits for the turn just before it starts only after its success, though the first ended', async () => {
  await storeFirst({ status: 'FAILED' });
  await takeTurn(deployment, await deployment.store({ id: 'job_second', ...waits }));
  const third = await takeTurn(deployment, await deployment.store({ id: 'job_third', ...waits }));
  expect(third).toMatchObject({ turn: 3, waits_for: 'job_second' });
  expect(third).not.toHaveProperty('after_any');
});

it('a job that waits for no turn takes none', async () => {
  await storeFirst();
  for (const status of ['DRAFT', 'CANCELLED'] as const) {
    const job = await deployment.store({ id: `job_${status}`, ...waits, status });
    expect(await takeTurn(deployment, job)).toBe(job);
  }
  expect(await deployment.threads.turns(THREAD)).toHaveLength(1);
});

it('a job that another process gave its turn, or cancelled, is as that has left it', async () => {
  await storeFirst();
  const known = await deployment.store({ id: 'job_second', ...waits });
  const taken = await takeTurn(deployment, known);
  expect(await takeTurn(deployment, known)).toEqual(taken);
  const another = await deployment.store({ id: 'job_third', ...waits });
  await transition(deployment, another, { type: 'cancel' });
  expect(await takeTurn(deployment, another)).toMatchObject({ status: 'CANCELLED' });
});

it('a job that is gone is left as it was known', async () => {
  await storeFirst();
  const gone = aJob({ id: 'job_gone', ...waits });
  expect(await takeTurn(deployment, gone)).toBe(gone);
});

it('a job that only a later version may change gets no turn', async () => {
  await storeFirst();
  const later = await deployment.store({ id: 'job_second', ...waits, reason: 'stars' as Job['reason'] });
  await expect(takeTurn(deployment, later)).rejects.toThrow('job job_second: its turn could not be taken');
  expect(await deployment.read(later)).toEqual(later);
});

it('a thread with as many turns as it may have takes no other', () => {
  expect(requireRoom(999, { status: 'SUCCEEDED' })).toBeUndefined();
  expect(() => requireRoom(1_000, { status: 'SUCCEEDED' })).toThrow('continue: a thread has at most 1000 turns');
});
