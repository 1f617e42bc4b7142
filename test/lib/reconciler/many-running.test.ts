import { BatchGetCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { takeOverLostJobs } from '../../../lib/reconciler/reconcile-jobs.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aRunningJob } from '../jobs/a-job.ts';

/** A deployment in which so many jobs run, of which the worker of every hundredth, the newest included, was lost. */
async function running(count: number) {
  const deployment = quietDeployment();
  const now = deployment.clock.now();
  for (let n = 0; n < count; n += 1) {
    const isLost = n % 100 === 99;
    const lease_until = timestamp(now + (isLost ? -5_000 : 600_000));
    await deployment.store(
      aRunningJob({ id: jobIdOfKey(`running ${n}`), created_at: timestamp(now - 1_000_000 + n), lease_until }),
    );
  }
  deployment.calls.length = 0;
  return deployment;
}

it('lost ones among 1,000 running jobs are found by ten requests, and only they are read one by one', async () => {
  const deployment = await running(1_000);
  const taken = await takeOverLostJobs(deployment);
  expect(taken.map(({ status, reason }) => `${status} ${reason}`)).toEqual(Array(10).fill('QUEUED worker_lost'));
  const batches = deployment.calls.filter((call) => call instanceof BatchGetCommand);
  expect(batches.every(({ input }) => Object.values(input.RequestItems ?? {})[0]?.ConsistentRead === true)).toBe(true);
  expect(batches).toHaveLength(10);
  const jobsRead = deployment.calls.filter(
    (call) => call instanceof GetCommand && call.input.Key?.id?.startsWith('job_'),
  );
  expect(jobsRead.length).toBeLessThan(50);
});

it('a worker checks only the oldest of many running jobs', async () => {
  const deployment = await running(1_000);
  expect(await takeOverLostJobs(deployment, { most: 100 })).toHaveLength(1);
  expect(deployment.calls.filter((call) => call instanceof BatchGetCommand)).toHaveLength(1);
});

it('a running job without a lease is lost', async () => {
  const deployment = quietDeployment();
  await deployment.store({ ...aRunningJob({ id: jobIdOfKey('without a lease') }), lease_until: undefined });
  expect(await takeOverLostJobs(deployment)).toMatchObject([{ status: 'QUEUED', reason: 'worker_lost' }]);
});
