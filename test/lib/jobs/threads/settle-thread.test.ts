import { expect, it } from 'vitest';
import { actInThread } from '../../../../lib/jobs/admission/act-in-thread.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { continueThread } from '../../../../lib/jobs/threads/settle-thread.ts';
import { takeTurn } from '../../../../lib/jobs/threads/take-turn.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const THREAD = 'job_first';

it('a job that gets its turn while the one before it is cancelled waits for the one that is left', async () => {
  const deployment = quietDeployment();
  const waiting = { thread_id: THREAD, reason: 'waiting_for_thread', parked: 'waiting_for_thread' } as const;
  await deployment.store(aJob({ id: THREAD, thread_id: THREAD, turn: 1 }));
  const second = await deployment.store(aJob({ id: 'job_second', ...waiting, turn: 2, waits_for: THREAD }));
  const third = await deployment.store(aJob({ id: 'job_third', ...waiting }));
  await deployment.threads.put(THREAD, { turn: 2, jobId: second.id });
  await deployment.threads.put(THREAD, { turn: 3, jobId: third.id });
  const findAll = deployment.jobs.findAll.bind(deployment.jobs);
  // Another request cancels the second turn just after the thread was read.
  deployment.jobs.findAll = async (ids) => {
    const found = await findAll(ids);
    deployment.jobs.findAll = findAll;
    const cancelled = await transition(deployment, second, { type: 'cancel' });
    if (cancelled.done) await continueThread(deployment, cancelled.job);
    return found;
  };
  await takeTurn(deployment, third);
  expect(await deployment.jobs.find(second.id)).toMatchObject({ status: 'CANCELLED' });
  expect(await deployment.jobs.find(third.id)).toMatchObject({ turn: 3, waits_for: THREAD });
});

it('commands that wait for a thread are offered to workers when its next turn waits for a person', async () => {
  const deployment = quietDeployment();
  const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at: '2026-11-20T10:00:00.000Z' } as const;
  const first = await deployment.store(
    aJob({ id: THREAD, thread_id: THREAD, turn: 1, ...ended, bindings_pending: [1], commands_held: true }),
  );
  const second = await deployment.store(aJob({ id: 'job_second', thread_id: THREAD, turn: 2 }));
  const waits = { reason: 'waiting_for_thread', parked: 'waiting_for_thread', waits_for: second.id } as const;
  const third = await deployment.store(aJob({ id: 'job_third', thread_id: THREAD, turn: 3, ...waits }));
  await deployment.threads.put(THREAD, { turn: 2, jobId: second.id });
  await deployment.threads.put(THREAD, { turn: 3, jobId: third.id });
  const cancelled = await transition(deployment, second, { type: 'cancel' });
  if (!cancelled.done) throw new Error(cancelled.rejected);
  deployment.sent.length = 0;
  await continueThread(deployment, cancelled.job);
  expect(await deployment.read(third)).toMatchObject({ parked: 'thread_stopped' });
  expect((await deployment.read(first))?.commands_held).toBeUndefined();
  expect(deployment.sent).toMatchObject([{ job: THREAD }]);
});

it('commands that are recorded as waiting just before the turn that they wait for ends are offered to workers', async () => {
  const deployment = quietDeployment();
  const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at: '2026-11-20T10:00:00.000Z' } as const;
  const first = await deployment.store(
    aJob({ id: THREAD, thread_id: THREAD, turn: 1, ...ended, bindings_pending: [1] }),
  );
  const second = await deployment.store(aJob({ id: 'job_second', thread_id: THREAD, turn: 2 }));
  await deployment.threads.put(THREAD, { turn: 2, jobId: second.id });
  const cancelled = await transition(deployment, second, { type: 'cancel' });
  if (!cancelled.done) throw new Error(cancelled.rejected);
  const apply = deployment.jobs.apply.bind(deployment.jobs);
  // reconcile-jobs has read the thread before the cancel.
  deployment.jobs.apply = async (...given) => {
    deployment.jobs.apply = apply;
    expect((await transition(deployment, first, { type: 'hold_commands' })).done).toBe(true);
    return await apply(...given);
  };
  deployment.sent.length = 0;
  await continueThread(deployment, cancelled.job);
  expect((await deployment.read(first))?.commands_held).toBeUndefined();
  expect(deployment.sent).toMatchObject([{ job: THREAD }]);
});

it('a turn that was stopped waits again once the turn before it is retried', async () => {
  const deployment = quietDeployment();
  const failed = { status: 'FAILED', reason: 'exited', attempt: 1, finished_at: '2026-11-20T10:00:00.000Z' } as const;
  const first = await deployment.store(aJob({ id: THREAD, thread_id: THREAD, turn: 1, ...failed }));
  const stopped = { reason: 'thread_stopped', parked: 'thread_stopped', waits_for: THREAD } as const;
  const second = await deployment.store(aJob({ id: 'job_second', thread_id: THREAD, turn: 2, ...stopped }));
  await deployment.threads.put(THREAD, { turn: 2, jobId: second.id });
  const onFailure = (error: unknown) => expect.fail(String(error));
  await actInThread(deployment, first, { type: 'retry' }, { action: 'retry', onFailure });
  expect(await deployment.read(second)).toMatchObject({ parked: 'waiting_for_thread', waits_for: THREAD });
  // It is cancelled, and retried a second time; that request has read the thread when the job is cancelled again.
  await cancel(deployment, THREAD);
  expect(await deployment.read(second)).toMatchObject({ parked: 'thread_stopped' });
  const again = await deployment.read(first);
  const { findAll } = deployment.jobs;
  let reads = 0;
  deployment.jobs.findAll = async (ids) => {
    const found = await findAll.call(deployment.jobs, ids);
    reads += 1;
    // The first read is that of the retry itself.
    if (reads === 2) await cancel(deployment, THREAD);
    return found;
  };
  await actInThread(deployment, again ?? first, { type: 'retry' }, { action: 'retry', onFailure });
  expect(await deployment.read(first)).toMatchObject({ status: 'CANCELLED' });
  expect(await deployment.read(second)).toMatchObject({ parked: 'thread_stopped', waits_for: THREAD });
});

async function cancel(deployment: QuietDeployment, id: string): Promise<void> {
  const job = await deployment.jobs.find(id);
  if (job === undefined || job === 'newer') throw new Error(`${id} is not there`);
  const cancelled = await transition(deployment, job, { type: 'cancel' });
  if (!cancelled.done) throw new Error(cancelled.rejected);
  await continueThread(deployment, cancelled.job);
}
