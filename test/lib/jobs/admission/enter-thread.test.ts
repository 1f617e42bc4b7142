import { expect, it } from 'vitest';
import { enterThread } from '../../../../lib/jobs/admission/enter-thread.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
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
