import { afterAll, beforeAll, expect, it } from 'vitest';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { takeOverLostJobs } from '../../../lib/reconciler/reconcile-jobs.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { aRunningJob } from '../jobs/a-job.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

async function aJobWhoseLeaseIsOver(name: string): Promise<Job> {
  const lease_until = timestamp(deployment.clock.now() - 5_000);
  return await deployment.store(aRunningJob({ id: jobIdOfKey(`takeover ${name}`), lease_until }));
}

it.each(['lose', 'kill'] as const)(
  'a heartbeat that comes between judgement and write keeps its job: %s',
  async (type) => {
    const job = await aJobWhoseLeaseIsOver(`heartbeat ${type}`);
    const lease_until = timestamp(deployment.clock.now() + 600_000);
    await deployment.jobs.touch(job, { lease_until });
    await transition(deployment, job, { type });
    const after = await deployment.jobs.get(job.id, { consistent: true });
    expect(after).toMatchObject({ status: 'RUNNING', attempt: 1, lease_until });
    expect(after?.kill_requested).toBe(type === 'kill' ? true : undefined);
  },
);

it('a loss is not counted if the table failed recently: no worker could renew its lease', async () => {
  const job = await aJobWhoseLeaseIsOver('outage');
  await takeOverLostJobs({ ...deployment, hadOutage: () => true });
  const after = await deployment.jobs.get(job.id, { consistent: true });
  expect(after).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker', attempt: 1 });
  expect(after).not.toHaveProperty('losses');
});
