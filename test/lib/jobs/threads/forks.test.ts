import { expect, it } from 'vitest';
import { enterThread } from '../../../../lib/jobs/admission/enter-thread.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { conversationBefore } from '../../../../lib/jobs/threads/conversation.ts';
import { isThreadOver, readThread } from '../../../../lib/jobs/threads/read-thread.ts';
import { continueThread, holdSource, releaseSource } from '../../../../lib/jobs/threads/settle-thread.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const SOURCE = 'job_first';
const TURN = 'job_second';
const FORK = 'job_fork';

const ended = { status: 'SUCCEEDED', reason: 'exited', finished_at: '2026-01-01T00:00:00.000Z', attempt: 1 } as const;

/** A thread whose second turn is ready to start, and a fork of its first. */
async function forkedThread(fork: Partial<Job> = {}) {
  const deployment = quietDeployment();
  await deployment.store(aJob({ id: SOURCE, thread_id: SOURCE, turn: 1, ...ended }));
  const turn = await deployment.store(aJob({ id: TURN, thread_id: SOURCE, turn: 2, continues: SOURCE }));
  await deployment.threads.put(SOURCE, { turn: 2, jobId: TURN });
  const forked = await deployment.store(aJob({ id: FORK, forked_from: SOURCE, forked_attempt: 1, ...fork }));
  const read = async (id: string) => (await deployment.jobs.find(id)) as Job;
  return { deployment, turn, forked, read };
}

it('a turn that has read its thread before a fork was created does not start', async () => {
  const { deployment, turn, forked, read } = await forkedThread();
  expect(await enterThread(deployment, turn)).toMatchObject({ mayEnter: true });
  await holdSource(deployment, forked);
  const claim = { type: 'claim', workerId: 'worker' } as const;
  expect(await transition(deployment, turn, claim, { rounds: 1 })).toMatchObject({ done: false });
  expect(await enterThread(deployment, await read(TURN))).toMatchObject({ mayEnter: false });
  expect(await read(TURN)).toMatchObject({ parked: 'waiting_for_thread', waits_for: FORK });
});

it('a turn starts when the copy is made, though the fork still runs', async () => {
  const { deployment, forked, read } = await forkedThread();
  await holdSource(deployment, forked);
  expect(await enterThread(deployment, await read(TURN))).toMatchObject({ mayEnter: false });
  const claimed = await transition(deployment, forked, { type: 'claim', workerId: 'worker' });
  expect(claimed.done).toBe(true);
  const running = await read(FORK);
  const stale = await transition(deployment, running, { type: 'fork_copied', attempt: 2 });
  expect(stale).toMatchObject({ done: false, rejected: 'attempt 2 no longer runs' });
  const copied = await transition(deployment, running, { type: 'fork_copied', attempt: 1 });
  expect(copied).toMatchObject({ done: true, job: { status: 'RUNNING', copied_by: 1 } });
  expect(await read(TURN)).toMatchObject({ waits_for: FORK });
  await releaseSource(deployment, await read(FORK));
  expect(await read(TURN)).not.toHaveProperty('parked');
  expect(await enterThread(deployment, await read(TURN))).toMatchObject({ mayEnter: true });
});

it('reconcile-jobs lets the turns start that waited for a fork whose ender died', async () => {
  const { deployment, turn, forked, read } = await forkedThread();
  await continueThread(deployment, forked);
  expect(await enterThread(deployment, await read(turn.id))).toMatchObject({ mayEnter: false });
  const cancelled = await transition(deployment, forked, { type: 'cancel' });
  expect(cancelled).toMatchObject({ job: { thread_pending: true } });
  await continueThread(deployment, await read(FORK));
  expect(await enterThread(deployment, await read(TURN))).toMatchObject({ mayEnter: true });
  expect(await deployment.threads.forks(SOURCE)).toEqual([]);
  expect(await read(FORK)).not.toHaveProperty('thread_pending');
});

it('a thread is kept as long as a fork has to copy from it', async () => {
  const { deployment, forked } = await forkedThread();
  await transition(deployment, await (deployment.jobs.find(TURN) as Promise<Job>), { type: 'cancel' });
  const isOver = async () =>
    await isThreadOver(deployment, await readThread(deployment, SOURCE), '2999-01-01T00:00:00.000Z');
  expect(await isOver()).toBe(true);
  await holdSource(deployment, forked);
  expect(await isOver()).toBe(false);
  await transition(deployment, forked, { type: 'cancel' });
  expect(await isOver()).toBe(true);
});

it('the conversation of a fork ends with the attempt that was forked', async () => {
  const { deployment, read } = await forkedThread({ thread_id: FORK, turn: 1 });
  const source = await read(SOURCE);
  expect(await deployment.jobs.apply(source, { ...source, attempt: 3 })).toMatchObject({ applied: true });
  const next = await deployment.store(aJob({ id: 'job_next', thread_id: FORK, turn: 2, continues: FORK }));
  await deployment.threads.put(FORK, { turn: 2, jobId: next.id });
  const earlier = await conversationBefore(deployment, next);
  expect(earlier?.map(({ job, attempt }) => [job.id, attempt])).toEqual([
    [SOURCE, 1],
    [FORK, 0],
  ]);
  expect(await conversationBefore(deployment, await read(SOURCE))).toBeUndefined();
});
