import { expect, it } from 'vitest';
import { actInThread, enterThread } from '../../../../lib/jobs/admission/thread-slot.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

const THREAD = 'job_first';
const ENDED = { status: 'CANCELLED', reason: 'cancelled_by_request', finished_at: '2026-11-20T10:00:00.000Z' } as const;

it.each<[string, Partial<Job>, { name: 'first' | 'second'; event: JobEvent; why: string }]>([
  ['the state of its job forbids', {}, { name: 'second', event: { type: 'retry', from: 'session' }, why: 'never run' }],
  [
    'comes after the begin of a later turn',
    { attempt: 1 },
    { name: 'first', event: { type: 'retry' }, why: '(job_second) has begun' },
  ],
])('a retry that %s keeps no other turn from starting', async (_what, second, { name, event, why }) => {
  const deployment = quietDeployment();
  const jobs = {
    first: await deployment.store({ id: THREAD, thread_id: THREAD, turn: 1, attempt: 1, ...ENDED }),
    second: await deployment.store({ id: 'job_second', thread_id: THREAD, turn: 2, ...ENDED, ...second }),
  };
  const third = await deployment.store({ id: 'job_third', thread_id: THREAD, turn: 3, after_any: true });
  for (const { id, turn = 0 } of [jobs.second, third]) await deployment.threads.put(THREAD, { turn, jobId: id });
  const onFailure = (error: unknown) => expect.fail(String(error));
  await expect(actInThread(deployment, jobs[name], event, { action: 'retry', onFailure })).rejects.toThrow(why);
  // A message of the later turn may have found the thread taken for the last time.
  expect(deployment.sent).toEqual([{ job: third.id, band: 'normal', seconds: 0 }]);
  expect(await enterThread(deployment, third)).toMatchObject({ mayEnter: true });
});
