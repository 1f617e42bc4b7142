import { expect, it, vi } from 'vitest';
import { actInThread } from '../../../../lib/jobs/admission/act-in-thread.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const THREAD = 'job_first';
const failed = aJob({ id: THREAD, status: 'FAILED', reason: 'exited', attempt: 1 });

it('an action that the state of a job forbids is refused by its name, and changes nothing', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store(failed);
  const onFailure = (error: unknown) => expect.fail(String(error));
  const cancel = actInThread(deployment, job, { type: 'cancel' }, { action: 'cancel', onFailure });
  await expect(cancel).rejects.toMatchObject({ details: { state: 'FAILED', action: 'cancel' } });
  expect(await deployment.read(job)).toEqual(job);
});

it('an action is done though the thread could not be continued, which is reported', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store(aJob({ id: THREAD, thread_id: THREAD, turn: 1 }));
  const outage = new Error('the table is away');
  deployment.threads.turns = async () => Promise.reject(outage);
  const onFailure = vi.fn();
  const done = await actInThread(deployment, job, { type: 'cancel' }, { action: 'cancel', onFailure });
  expect(done).toMatchObject({ status: 'CANCELLED', thread_pending: true });
  expect(await deployment.read(job)).toEqual(done);
  expect(onFailure.mock.calls).toEqual([[outage]]);
});
