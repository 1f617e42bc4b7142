import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { acquireSlot, isFree, threadSlot, usersOf } from '../../../../lib/jobs/admission/slots.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { NEWEST_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aRunningJob } from '../a-job.ts';

const [HOLDER, NEXT] = ['job_00000000000000000000000001', 'job_00000000000000000000000002'];
const THREAD = threadSlot('job_first');
const slot = { job_id: HOLDER, job_version: 0, taken_at: '2026-11-20T10:00:00.000Z' };

it.each<[string, Job, boolean]>([
  ['runs as a turn of the thread', aRunningJob({ id: HOLDER, thread_id: 'job_first' }), false],
  ['runs as a turn of another thread', aRunningJob({ id: HOLDER, thread_id: 'job_other' }), true],
  ['runs in no thread', aRunningJob({ id: HOLDER }), true],
  ['is in a state that only a later version knows', aJob({ id: HOLDER, status: 'PAUSED' }), false],
])('the slot of a thread whose holder %s', async (_what, job, free) => {
  const deployment = quietDeployment();
  await deployment.store(job);
  await deployment.slots.replace(THREAD, undefined, slot);
  expect(await isFree(deployment, THREAD)).toBe(free);
});

it('a job that only a later version reads uses its slot, and does not run as far as this one knows', async () => {
  const deployment = quietDeployment();
  const Item = { ...aRunningJob({ id: HOLDER }), schema: NEWEST_JOB_SCHEMA + 1 };
  await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
  await deployment.slots.replace(THREAD, undefined, slot);
  expect(await usersOf(deployment, THREAD)).toEqual([{ id: HOLDER, isRunning: false }]);
});

it('the first holder is asked for once, before any job has taken the slot', async () => {
  const deployment = quietDeployment();
  const next = await deployment.store({ id: NEXT });
  const holder = await deployment.store(aRunningJob({ id: HOLDER }));
  let asked = 0;
  const firstHolder = async () => {
    asked += 1;
    return HOLDER;
  };
  const rule = { firstHolder, worksThere: ({ id }: Job) => id === HOLDER };
  expect(await acquireSlot(deployment, next, 'a-place', rule)).toBe(false);
  expect(await deployment.slots.read('a-place')).toMatchObject({ job_id: HOLDER, job_version: -1 });
  expect(await acquireSlot(deployment, next, 'a-place', { ...rule, mayJoin: async () => false })).toBe(false);
  expect(await acquireSlot(deployment, next, 'a-place', { ...rule, mayJoin: async () => true })).toBe(true);
  expect(asked).toBe(1);
  await deployment.jobs.apply(holder, { ...holder, status: 'FAILED', reason: 'exited' });
  expect(await acquireSlot(deployment, next, 'another', rule)).toBe(true);
});

it('those that use a slot beside its holder keep others out', async () => {
  const deployment = quietDeployment();
  const next = await deployment.store({ id: NEXT });
  await deployment.store({ id: HOLDER, status: 'FAILED', reason: 'exited' });
  await deployment.slots.replace('a-place', undefined, slot);
  const usersBeside = async () => [{ id: 'job_above', isRunning: true }];
  expect(await acquireSlot(deployment, next, 'a-place', { usersBeside })).toBe(false);
  expect(await acquireSlot(deployment, next, 'a-place')).toBe(true);
});
