import { afterAll, beforeAll, expect, it } from 'vitest';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import { suffixOf } from '../../../lib/jobs/indexes/list-keys.ts';
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

it('a heartbeat of a superseded attempt changes nothing', async () => {
  const job = await aJobWhoseLeaseIsOver('void fence');
  const older = { id: job.id, attempt: job.attempt - 1 };
  expect(await deployment.jobs.touch(older, { lease_until: timestamp(deployment.clock.now()) })).toBeUndefined();
  expect(await deployment.jobs.get(job.id, { consistent: true })).toEqual(job);
});

it('a loss is not counted if the table failed recently: no worker could renew its lease', async () => {
  const job = await aJobWhoseLeaseIsOver('outage');
  await takeOverLostJobs({ ...deployment, hadOutage: () => true });
  const after = await deployment.jobs.get(job.id, { consistent: true });
  expect(after).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker', attempt: 1 });
  expect(after).not.toHaveProperty('losses');
});

it('a loss that was found for one attempt is not applied to the next, whose receipt was not checked', async () => {
  const job = await aJobWhoseLeaseIsOver('next attempt');
  // While the reconciler checks for the receipt, the job is taken over, claimed and lost once more.
  const readReceipt = async () => {
    const next = { ...job, attempt: 2, worker_id: 'worker-2' };
    expect(await deployment.jobs.apply(job, next)).toMatchObject({ applied: true });
    return undefined;
  };
  const byStatus = async function* () {
    yield job;
  };
  await takeOverLostJobs({ ...deployment, readReceipt, byStatus });
  expect(await deployment.jobs.get(job.id, { consistent: true })).toMatchObject({ status: 'RUNNING', attempt: 2 });
});

it('a job that is read twice, because it changed its place in the index meanwhile, blocks no other', async () => {
  const lost: Job[] = [];
  const question = { id: 'q_1', state: 'open', due: '2999-01-01T00:00:00.000Z' } as const;
  for (let n = 0; lost.length < 4; n += 1) {
    const id = jobIdOfKey(`moving ${n}`);
    if (suffixOf({ id }) !== '0') continue;
    const asks = lost.length < 3 && { question };
    const created_at = timestamp(Date.parse('2020-01-01T00:00:00.000Z') + lost.length);
    lost.push(await deployment.store(aRunningJob({ id, created_at, ...asks })));
  }
  const [first, , , last] = lost as [Job, Job, Job, Job];
  const byStatus: typeof deployment.byStatus = async function* (...how) {
    for await (const job of deployment.byStatus(...how)) {
      // The partition with the questions is read up to here, that without them to its end.
      if (job.id === first.id) await deployment.jobs.apply(last, { ...last, question });
      yield job;
    }
  };
  const ended = await takeOverLostJobs({ ...deployment, byStatus }, { most: 5 });
  expect(ended.map(({ id }) => id)).toEqual(lost.map(({ id }) => id));
});
