import { expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { ReconcilerContext } from '../../../lib/reconciler/reconcile-jobs.ts';
import { WaitingJobs } from '../../../lib/reconciler/waiting-jobs.ts';
import { aJob } from '../jobs/a-job.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();

/** Reads these jobs in this way, for a record that it may continue. */
async function read(
  waiting: WaitingJobs,
  jobs: readonly Partial<Job>[],
  ...how: Parameters<ReconcilerContext['byStatus']>
): Promise<void> {
  const byStatus = async function* () {
    for (const job of jobs) yield aJob(job);
  };
  let seen = 0;
  for await (const _job of waiting.noting(byStatus)(...how)) seen += 1;
  expect(seen).toBe(jobs.length);
}

const newRecord = () => new WaitingJobs({ now: () => NOW });
const OLD = { queued_at: ago(90) };

it('the longest wait of a ready job, and the jobs that wait for an account, are recorded as they are read', async () => {
  const waiting = newRecord();
  expect(waiting.metrics()).toEqual({ AccountRequiredJobs: 0 });
  const account = { reason: 'account_required', queued_at: ago(500) } as const;
  const jobs = [{ queued_at: ago(10) }, OLD, { queued_at: ago(20) }, account, account];
  await read(waiting, jobs, 'QUEUED', { held: true });
  expect(waiting.metrics()).toEqual({ AccountRequiredJobs: 2, OldestReadyJob: 90 });
});

it('a later part continues the record, and a reading from the start begins a new one', async () => {
  const waiting = newRecord();
  await read(waiting, [OLD], 'QUEUED', { held: true });
  await read(waiting, [{ queued_at: ago(50) }], 'QUEUED', { held: true, from: ago(200) });
  expect(waiting.metrics()).toEqual({ AccountRequiredJobs: 0, OldestReadyJob: 90 });
  await read(waiting, [{ queued_at: ago(30) }], 'QUEUED', { held: true });
  expect(waiting.metrics()).toEqual({ AccountRequiredJobs: 0, OldestReadyJob: 30 });
});

it('a job that is not due yet has not waited', async () => {
  const waiting = newRecord();
  await read(waiting, [{ due_at: ago(-60) }], 'QUEUED', { held: true });
  expect(waiting.metrics()).toEqual({ AccountRequiredJobs: 0 });
  await read(waiting, [{ due_at: ago(0) }], 'QUEUED', { held: true });
  expect(waiting.metrics()).toEqual({ AccountRequiredJobs: 0 });
});

it('running jobs, and readings that leave out held jobs, are not recorded', async () => {
  const waiting = newRecord();
  await read(waiting, [OLD], 'QUEUED', { held: true });
  await read(waiting, [{ queued_at: ago(1_000) }], 'RUNNING', { held: true });
  await read(waiting, [{ queued_at: ago(1_000) }], 'QUEUED');
  expect(waiting.metrics()).toEqual({ AccountRequiredJobs: 0, OldestReadyJob: 90 });
});
