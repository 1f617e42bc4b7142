import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { JobCounts } from '../../../lib/counters/counts.ts';
import { claim } from '../../../lib/jobs/admission/claim.ts';
import { probeParkedJobs } from '../../../lib/jobs/admission/parked-jobs.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { makeMissingFollowUps } from '../../../lib/reconciler/after-attempt.ts';
import { awaitFollowUps } from '../../../lib/reconciler/await-follow-ups.ts';
import { reissueAll, takeOverLostJobs } from '../../../lib/reconciler/reconcile-jobs.ts';
import { Heartbeat } from '../../../worker-container/heartbeat/heartbeat.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aReceipt, aRunningJob } from './a-job.ts';

/** Whatever need not be read consistently shows what was there an hour ago. */
const behind = () => quietDeployment({ lag: 3_600_000 });

const id = (last: number) => `job_0000000000000000000000000${last}`;

/** A job that waits for the vendor account, and may try. */
const parked = (last: number): Partial<Job> & Pick<Job, 'id'> => ({
  id: id(last),
  reason: 'account_required',
  parked: 'account_required',
  due_at: `2026-11-20T09:00:0${last}.000Z`,
});

it('a dispatch message claims its own job by a consistent read, though the index does not show it', async () => {
  const deployment = behind();
  const job = await deployment.store({ id: id(1) });
  const message = { v: 1, band: 'normal', project: job.project_id, job: job.id } as const;
  const held = { message, handle: '', receives: 2 };
  const claimed = await claim({ ...deployment, readReady: async () => [] }, held, 'worker-1');
  expect(claimed).toMatchObject({ kind: 'claimed', job: { id: job.id } });
});

it('the reconciler checks the lease of a running job by a consistent read', async () => {
  const deployment = behind();
  const { id: lost } = await deployment.store(aRunningJob({ lease_until: '2026-11-20T09:59:00.000Z' }));
  expect(await takeOverLostJobs(deployment)).toMatchObject([{ id: lost, reason: 'worker_lost' }]);
});

it('the reconciler creates the follow-ups of a job by a consistent read', async () => {
  const deployment = behind();
  const job = await deployment.store({ id: id(1), status: 'SUCCEEDED', attempt: 1, children_pending: [1] });
  await deployment.output.putReceipt(aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: job.id }));
  await makeMissingFollowUps(deployment);
  expect((await deployment.read(job))?.children_pending).toBeUndefined();
});

it('a wait for the end of a job returns as soon as its follow-ups are created', async () => {
  const deployment = behind();
  const finished_at = timestamp(deployment.clock.now());
  const job = await deployment.store({ id: id(1), status: 'SUCCEEDED', finished_at, children_pending: [1] });
  const pauses: number[] = [];
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds);
    await deployment.pass(milliseconds);
    if (pauses.length === 1)
      await transition(deployment, job, { type: 'follow_up', attempt: 1, positions: [], warnings: [] });
  };
  expect((await awaitFollowUps({ ...deployment, pause }, job)).children_pending).toBeUndefined();
  expect(pauses).toEqual([50]);
});

it('no response waits longer than three seconds after the end for follow-ups', async () => {
  const deployment = quietDeployment();
  const finished_at = timestamp(deployment.clock.now());
  const job = await deployment.store({ id: id(1), status: 'SUCCEEDED', finished_at, children_pending: [1] });
  let waited = 0;
  const pause = async (milliseconds: number) => {
    waited += milliseconds;
    await deployment.pass(milliseconds);
    if (waited > 10_000) throw new Error('it waits forever');
  };
  expect(await awaitFollowUps({ ...deployment, pause }, job)).toEqual(job);
  expect(waited).toBe(3_000);
});

it('reissuing reads the lease consistently, and sends a message for its expiry', async () => {
  const deployment = behind();
  const job = await deployment.store(aRunningJob());
  await reissueAll(deployment);
  expect(deployment.sent).toEqual([{ job: job.id, band: 'normal', seconds: 30 }]);
});

it('a parked job is let go to try as it is', async () => {
  const deployment = behind();
  const job = await deployment.store(parked(1));
  await probeParkedJobs(deployment);
  expect(await deployment.read(job)).toMatchObject({ probing: 'account_required' });
});

it('no other tries while one does, as it is', async () => {
  const deployment = behind();
  const jobs = [await deployment.store(parked(1)), await deployment.store(parked(2))];
  await probeParkedJobs(deployment);
  await deployment.pass(120_000);
  await probeParkedJobs(deployment);
  expect((await Promise.all(jobs.map(deployment.read))).map((job) => job?.probing)).toEqual([
    'account_required',
    undefined,
  ]);
});

it('another tries once the time of the one before is over, as it was noted', async () => {
  const deployment = behind();
  const jobs = [await deployment.store(parked(1)), await deployment.store(parked(2))];
  await probeParkedJobs(deployment);
  const first = await deployment.read(jobs[0] ?? parked(1));
  if (first !== undefined) await transition(deployment, first, { type: 'cancel' });
  await deployment.pass(61_000);
  await probeParkedJobs(deployment);
  expect(await deployment.read(parked(2))).toMatchObject({ probing: 'account_required' });
});

it('a job that the index still shows as parked keeps no other from trying', async () => {
  const deployment = behind();
  const [gone, waiting] = [await deployment.store(parked(1)), await deployment.store(parked(2))];
  await transition(deployment, gone, { type: 'cancel' });
  const partition = async function* () {
    yield* [gone, waiting];
  };
  await probeParkedJobs({ ...deployment, partition });
  expect(await deployment.read(waiting)).toMatchObject({ probing: 'account_required' });
});

it('a worker hears within two seconds what is asked of its job as it is', async () => {
  const deployment = behind();
  const job = await deployment.store(aRunningJob());
  const heard: number[] = [];
  const nothing = () => undefined;
  const heartbeat = new Heartbeat({
    jobs: deployment.jobs,
    clock: deployment.clock,
    timing: { now: () => deployment.time.now, schedule: (run, delay) => deployment.time.schedule(run, delay) },
    job,
    events: {
      onEndRequested: () => heard.push(deployment.time.now),
      ...{ onLost: nothing, onWatched: nothing, onBeat: nothing, onFailure: nothing },
    },
  });
  await transition(deployment, job, { type: 'cancel' });
  await deployment.pass(3_000);
  heartbeat.stop();
  expect(heard).toEqual([2_000]);
});

it('the counted position is read consistently, so that a batch is one write', async () => {
  const deployment = behind();
  const counts = new JobCounts({ table: deployment.table, registryTable: deployment.env.REGISTRY_TABLE });
  const change = (sequence: string) => ({ sequence, before: undefined, after: 'QUEUED' as const });
  await counts.apply('shard', [change('1')]);
  const before = deployment.calls.length;
  await counts.apply('shard', [change('2')]);
  expect(deployment.calls.slice(before).filter((call) => call instanceof UpdateCommand)).toHaveLength(1);
  expect((await counts.read()).QUEUED).toBe(2);
});
