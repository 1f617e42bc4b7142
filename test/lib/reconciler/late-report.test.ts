import { afterAll, beforeAll, expect, it } from 'vitest';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { takeOverLostJobs } from '../../../lib/reconciler/reconcile-jobs.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { aReceipt, aRunningJob } from '../jobs/a-job.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const current = async (job: Job) => await deployment.jobs.get(job.id, { consistent: true });

/** A job that runs, under a lease that is long over. */
async function lostJob(name: string): Promise<Job> {
  return await deployment.store(aRunningJob({ id: jobIdOfKey(`late report ${name}`), project_id: name }));
}

const succeeded = (job: Job) => aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: job.id, attempt: 1 });

it('a report by a superseded attempt is rejected, whatever the reporter has read', async () => {
  const seen = await lostJob('p-taken');
  expect(await takeOverLostJobs(deployment)).toMatchObject([{ id: seen.id, status: 'QUEUED', reason: 'worker_lost' }]);
  const waiting = await current(seen);
  expect(await transition(deployment, seen, { type: 'end', receipt: succeeded(seen) })).toMatchObject({ done: false });
  expect(await current(seen)).toEqual(waiting);

  const claimed = await transition(deployment, waiting ?? seen, { type: 'claim', workerId: 'worker-2' });
  expect(claimed).toMatchObject({ done: true, job: { attempt: 2, status: 'RUNNING', worker_id: 'worker-2' } });
  for (const known of [seen, claimed.job ?? seen]) {
    const late = await transition(deployment, known, { type: 'end', receipt: succeeded(seen) });
    expect(late).toMatchObject({ done: false, rejected: 'attempt 2 has taken over' });
    expect(await current(seen)).toEqual(claimed.job);
  }
  expect(await deployment.jobs.touch({ id: seen.id, attempt: 1 }, { lease_until: '2999-01-01T00:00:00.000Z' })).toBe(
    undefined,
  );
  expect(await current(seen)).toEqual(claimed.job);
});

it('a receipt that was left behind decides, and is applied once by however many find the lease over', async () => {
  const job = await lostJob('p-receipt');
  await deployment.output.putReceipt(succeeded(job));
  const changed = await Promise.all(Array.from({ length: 8 }, () => takeOverLostJobs(deployment)));
  expect(changed.flat().filter(({ id }) => id === job.id)).toHaveLength(1);
  expect(await current(job)).toMatchObject({ status: 'SUCCEEDED', attempt: 1, version: job.version + 1 });
});
