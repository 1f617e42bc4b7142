import { describe, expect, it } from 'vitest';
import { bandOf, type Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { leaseIsOver } from '../../../../lib/jobs/lifecycle/lease.ts';
import { isUnderstood, requireUnderstood } from '../../../../lib/jobs/lifecycle/understood.ts';
import { aJob, aRunningJob } from '../a-job.ts';

it('a job waits in the band of its priority', () => {
  const bands = [-9, -1, 0, 1, 9].map((priority) => bandOf({ priority }));
  expect(bands).toEqual(['low', 'low', 'normal', 'high', 'high']);
});

describe('a lease', () => {
  const now = '2026-11-20T10:00:30.000Z';
  it.each<[string, Partial<Job>, boolean]>([
    ['lasts to its last millisecond', { lease_until: now }, false],
    ['is over afterwards', { lease_until: '2026-11-20T10:00:29.999Z' }, true],
    ['is over if it was never given', { lease_until: undefined }, true],
    ['concerns only jobs that run', { status: 'QUEUED', lease_until: undefined }, false],
  ])('%s', (_what, more, isOver) => {
    expect(leaseIsOver(aRunningJob(more), now)).toBe(isOver);
  });
});

describe('this version understands', () => {
  it.each<[string, Job, boolean]>([
    ['a job that waits', aJob(), true],
    ['a job that is parked', aJob({ reason: 'question', parked: 'question' }), true],
    ['no state that it does not know', aJob({ status: 'PAUSED' }), false],
    ['no parking that it does not know', aJob({ reason: 'question', parked: 'budget_reached' }), false],
    ['no reason to wait that it does not know', aJob({ reason: 'budget_reached' }), false],
    ['no reason to run that it does not know', aRunningJob({ reason: 'warming_up' }), false],
    ['any reason of an end', aJob({ status: 'FAILED', reason: 'budget_reached' }), true],
    ['any reason to probe', aJob({ probing: 'budget_reached' }), true],
  ])('%s', (_what, job, understood) => {
    expect(isUnderstood(job)).toBe(understood);
    const require = () => requireUnderstood(job);
    if (understood) expect(require).not.toThrow();
    else expect(require).toThrow(job.id);
  });
});
