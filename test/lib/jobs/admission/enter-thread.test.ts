import { expect, it } from 'vitest';
import { enterThread, leaveThread } from '../../../../lib/jobs/admission/enter-thread.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const THREAD = 'job_first';

it('a turn that is retried waits for a later one whose claim has begun', async () => {
  const deployment = quietDeployment();
  const first = await deployment.store({
    ...aJob({ id: THREAD, thread_id: THREAD, turn: 1, attempt: 1 }),
    status: 'SUCCEEDED',
    reason: 'exited',
  });
  const second = await deployment.store(aJob({ id: 'job_second', thread_id: THREAD, turn: 2 }));
  await deployment.threads.put(THREAD, { turn: 2, jobId: second.id });
  expect(await enterThread(deployment, second)).toMatchObject({ mayEnter: true });

  const retried = await transition(deployment, first, { type: 'retry' });
  if (!retried.done) throw new Error(retried.rejected);
  expect(await enterThread(deployment, retried.job)).toMatchObject({ mayEnter: false });
  // The claim was given up.
  await deployment.pass(60_000);
  expect(await enterThread(deployment, retried.job)).toMatchObject({ mayEnter: true });
});

it.each<[string, Partial<Job>]>([
  ['in no thread', {}],
  ['whose turn is not recorded', { thread_id: THREAD }],
  ['whose thread is not recorded', { turn: 2 }],
])('a job %s needs no slot to start', async (_what, more) => {
  const deployment = quietDeployment();
  const job = await deployment.store({ id: 'job_alone', ...more });
  deployment.calls.length = 0;
  expect(await enterThread(deployment, job)).toEqual({ mayEnter: true, turns: [] });
  expect(deployment.calls).toEqual([]);
});

it('a job in no thread has none to leave', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store({ id: 'job_alone' });
  await leaveThread(deployment, job);
  expect(await deployment.read(job)).toEqual(job);
});

it('a thread is left to the turns that are ready, of which earlier ones may have been removed', async () => {
  const deployment = quietDeployment();
  const third = await deployment.store(aJob({ id: 'job_third', thread_id: THREAD, turn: 3 }));
  await deployment.threads.put(THREAD, { turn: 2, jobId: 'job_removed' });
  await deployment.threads.put(THREAD, { turn: 3, jobId: third.id });
  await leaveThread(deployment, third);
  expect(await deployment.read(third)).toMatchObject({ version: third.version + 1 });
  expect(deployment.sent).toMatchObject([{ job: third.id }]);
});
