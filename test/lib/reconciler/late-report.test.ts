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

it('an outcome with texts and numbers that no table takes as they are is applied all the same', async () => {
  const job = await lostJob('p-odd');
  const usage = { input_tokens: 1e300, cached_input_tokens: 5e-324, output_tokens: 7, reasoning_output_tokens: 0 };
  await deployment.output.putReceipt(
    aReceipt(
      // The text is cut in the middle of a character.
      { kind: 'failed', reason: 'agent_error', error: `${'x'.repeat(299)}😀` },
      { job_id: job.id, session_id: `\ud83d${'y'.repeat(5_000)}`, usage },
    ),
  );
  const changed = await takeOverLostJobs(deployment);
  expect(changed.filter(({ id }) => id === job.id)).toHaveLength(1);
  expect(await current(job)).toMatchObject({
    status: 'FAILED',
    error: `${'x'.repeat(299)}\ufffd`,
    session_id: `\ufffd${'y'.repeat(299)}`,
    usage: { input_tokens: 1e12, cached_input_tokens: 0, output_tokens: 7 },
  });
});

it('an attempt ends, however much the ones before it are said to have used', async () => {
  const most = Number.MAX_SAFE_INTEGER;
  const usage = { input_tokens: most, cached_input_tokens: 0, output_tokens: 7, reasoning_output_tokens: 0 };
  const id = jobIdOfKey('late report of much usage');
  const job = await deployment.store(aRunningJob({ id, project_id: 'p-much', usage, earlier_usage: usage }));
  await deployment.output.putReceipt(aReceipt({ kind: 'failed', reason: 'exited' }, { job_id: id, usage }));
  await takeOverLostJobs(deployment);
  expect(await current(job)).toMatchObject({
    status: 'FAILED',
    earlier_usage: { input_tokens: 1e12, output_tokens: 14 },
  });
});
