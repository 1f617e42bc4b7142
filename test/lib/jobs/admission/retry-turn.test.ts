import { expect, it } from 'vitest';
import { enterThread } from '../../../../lib/jobs/admission/enter-thread.ts';
import { retryTurn } from '../../../../lib/jobs/admission/retry-turn.ts';
import { threadSlot } from '../../../../lib/jobs/admission/slots.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const THREAD = 'job_first';
const CANCELLED = { status: 'CANCELLED', reason: 'cancelled_by_request' } as const;

/** A thread whose third turn is ready; the second one as given. */
async function thread(second: Partial<Job>) {
  const deployment = quietDeployment();
  const ended = { ...CANCELLED, finished_at: '2026-11-20T10:00:00.000Z' };
  await deployment.store(aJob({ id: THREAD, thread_id: THREAD, turn: 1, attempt: 1, ...ended }));
  const turns = [
    await deployment.store(aJob({ id: 'job_second', thread_id: THREAD, turn: 2, ...second })),
    await deployment.store(aJob({ id: 'job_third', thread_id: THREAD, turn: 3, after_any: true })),
  ] as const;
  for (const { id, turn = 0 } of turns) await deployment.threads.put(THREAD, { turn, jobId: id });
  return { deployment, second: turns[0], third: turns[1] };
}

it('a retry that the state of the job forbids keeps no later turn from starting', async () => {
  const { deployment, second, third } = await thread(CANCELLED);
  await expect(retryTurn(deployment, second, { type: 'retry', from: 'session' })).rejects.toThrow('has never run');
  expect(await enterThread(deployment, third)).toMatchObject({ mayEnter: true });
  // Its own message may have found the thread taken for the last time.
  expect(deployment.sent).toEqual([{ job: third.id, band: 'normal', seconds: 0 }]);
});

it('nor does a retry of a turn after which another has begun', async () => {
  const { deployment, second, third } = await thread({ ...CANCELLED, attempt: 1 });
  const first = await deployment.jobs.get(THREAD, { consistent: true });
  if (first === undefined) throw new Error('the first turn is missing');
  await expect(retryTurn(deployment, first, { type: 'retry' })).rejects.toThrow(`(${second.id}) has begun`);
  expect(await enterThread(deployment, third)).toMatchObject({ mayEnter: true });
  expect(deployment.sent).toEqual([{ job: third.id, band: 'normal', seconds: 0 }]);
});

it('a retry of a turn that has not ended is refused, and leaves the job as it is', async () => {
  const { deployment, second } = await thread({});
  await expect(retryTurn(deployment, second, { type: 'retry' })).rejects.toThrow('this one is QUEUED');
  expect(await deployment.read(second)).toEqual(second);
});

it('a retry is to be repeated while a later turn is about to start', async () => {
  const { deployment, second, third } = await thread({ ...CANCELLED, attempt: 1 });
  expect(await enterThread(deployment, third)).toMatchObject({ mayEnter: true });
  await expect(retryTurn(deployment, second, { type: 'retry' })).rejects.toMatchObject({ code: 'unavailable' });
  expect(await deployment.read(second)).toEqual(second);
});

it.each<[string, Partial<Job>]>([
  ['of a thread', { thread_id: THREAD, turn: 2 }],
  ['in no thread', {}],
  ['whose thread is not recorded', { turn: 2 }],
  ['that was cancelled before its turn was recorded', { thread_id: THREAD, continues: THREAD }],
])('a job %s is retried', async (_what, more) => {
  const { deployment, third } = await thread(CANCELLED);
  const job = await deployment.store({ id: 'job_retried', ...CANCELLED, ...more });
  // The slot of a thread is for jobs that have a turn in it.
  const hasTurn = job.thread_id !== undefined && job.turn !== undefined;
  if (!hasTurn) expect(await enterThread(deployment, third)).toMatchObject({ mayEnter: true });
  expect(await retryTurn(deployment, job, { type: 'retry' })).toMatchObject({ status: 'QUEUED', round: 1 });
  const slot = await deployment.slots.read(threadSlot(job.thread_id ?? 'undefined'));
  expect(slot?.job_id === job.id).toBe(hasTurn);
});
