import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { isReady, secondsUntilDue, transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aReceipt, aRunningJob } from '../a-job.ts';

/** How many writes an event takes when a heartbeat has pushed the lease since the job was read. */
async function writesAfterHeartbeat(event: JobEvent): Promise<number> {
  const deployment = quietDeployment();
  const known = await deployment.store(aRunningJob());
  await deployment.jobs.touch(known, { lease_until: '2026-11-20T10:00:40.000Z' });
  const before = deployment.calls.length;
  expect(await transition(deployment, known, event)).toMatchObject({ done: true });
  return deployment.calls.slice(before).filter((call) => call instanceof UpdateCommand).length;
}

it('a heartbeat in between causes no retry if the lease was not decisive', async () => {
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' });
  expect(await writesAfterHeartbeat({ type: 'end', receipt })).toBe(1);
  expect(await writesAfterHeartbeat({ type: 'cancel' })).toBe(1);
  expect(await writesAfterHeartbeat({ type: 'kill' })).toBe(1);
});

describe('a decision', () => {
  it('is made once more about a job that has changed since it was read, as often as it may be', async () => {
    const deployment = quietDeployment();
    const known = await deployment.store(aJob());
    await deployment.jobs.apply(known, { ...known, priority: 5 });
    const current = await deployment.read(known);
    expect(await transition(deployment, known, { type: 'cancel' }, { rounds: 1 })).toEqual({
      ...{ done: false, rejected: 'another write was faster', job: current },
    });
    const again = await transition(deployment, known, { type: 'cancel' });
    expect(again).toMatchObject({ done: true, job: { status: 'CANCELLED', priority: 5 } });
  });

  it('about a job that is gone is rejected', async () => {
    const deployment = quietDeployment();
    expect(await transition(deployment, aJob(), { type: 'cancel' })).toEqual({
      ...{ done: false, rejected: 'the job is gone', job: undefined },
    });
  });

  it('that changes nothing writes nothing, nor does a rejection', async () => {
    const deployment = quietDeployment();
    const job = await deployment.store(aJob({ status: 'CANCELLED', reason: 'cancelled_by_request' }));
    deployment.calls.length = 0;
    expect(await transition(deployment, job, { type: 'cancel' })).toEqual({ done: true, job });
    const submit = await transition(deployment, job, { type: 'submit' });
    expect(submit).toEqual({ done: false, rejected: expect.stringContaining('only a draft'), job });
    expect(deployment.calls).toEqual([]);
  });

  it.each<[JobEvent['type'], JobEvent]>([
    ['lose', { type: 'lose' }],
    ['kill', { type: 'kill' }],
  ])('that a lease is over is void if a heartbeat has extended it: %s', async (_type, event) => {
    const deployment = quietDeployment();
    const known = await deployment.store(aRunningJob());
    await deployment.pass(31_000);
    const beat = await deployment.jobs.touch(known, { lease_until: '2026-11-20T10:01:00.000Z' });
    expect(await transition(deployment, known, event, { rounds: 1 })).toMatchObject({ done: false, job: beat });
    expect(await deployment.read(known)).toMatchObject({ status: 'RUNNING', reason: 'running' });
  });
});

it.each<[string, Job, boolean]>([
  ['waits', aJob(), true],
  ['waits for a time', aJob({ reason: 'retry_backoff', due_at: '2026-11-20T11:00:00.000Z' }), true],
  ['waits for its vendor', aJob({ reason: 'usage_limit', parked: 'usage_limit' }), false],
  ['runs', aRunningJob(), false],
  ['waits for what only a later version knows', aJob({ reason: 'budget_reached' }), false],
])('a job is offered to workers if it %s', (_what, job, ready) => {
  expect(isReady(job)).toBe(ready);
});

it('a job may be claimed at once unless it is due later', () => {
  const now = Date.parse('2026-11-20T10:00:00.000Z');
  const due = ['2026-11-20T10:00:07.000Z', '2026-11-20T09:00:00.000Z', undefined];
  expect(due.map((due_at) => secondsUntilDue({ due_at }, now))).toEqual([7, 0, 0]);
});
