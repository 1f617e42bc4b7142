import { expect, it } from 'vitest';
import { folderName } from '../../../lib/jobs/admission/folder-slots.ts';
import { sweepGates } from '../../../lib/jobs/admission/gates.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import {
  readWaiting,
  reissueAll,
  resendStaleMessages,
  takeOverLostJobs,
} from '../../../lib/reconciler/reconcile-jobs.ts';
import { printedBy } from '../../local-run/captured-lines.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aJob, aReceipt, aRunningJob } from '../jobs/a-job.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const FOLDERS = { workspaces: '/workspaces', roots: [] };
const BUSY = { reason: 'folder_busy', parked: 'folder_busy' } as const;

/** A running job whose lease is over. */
const lostJob = async (deployment: QuietDeployment, id: string, more: Partial<Job> = {}) =>
  await deployment.store(aRunningJob({ id, lease_until: timestamp(deployment.clock.now() - 1_000), ...more }));

it('a lost job is queued again, and one that left a receipt ends with what that says', async () => {
  const deployment = quietDeployment();
  const lost = await lostJob(deployment, 'job_lost');
  const done = await lostJob(deployment, 'job_done');
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: done.id });
  const readReceipt = async (id: string) => (id === done.id ? receipt : undefined);
  const taken = await takeOverLostJobs({ ...deployment, readReceipt });
  const outcomes = taken.map(({ id, status, reason, losses }) => ({ id, status, reason, losses }));
  expect(outcomes.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
    { id: done.id, status: 'SUCCEEDED', reason: 'exited', losses: undefined },
    { id: lost.id, status: 'QUEUED', reason: 'worker_lost', losses: 1 },
  ]);
});

it('stale jobs get a new message, and jobs whose folder or profile is free are woken', async () => {
  const deployment = quietDeployment();
  await deployment.store({ id: 'job_stale' });
  const held = [
    await deployment.store({
      id: 'job_folder',
      ...BUSY,
      cwd: 'work',
      folder: folderName(FOLDERS, aJob({ cwd: 'work' })),
    }),
    await deployment.store({ id: 'job_profile', reason: 'profile_busy', parked: 'profile_busy' }),
  ];
  const waiting = await readWaiting({ ...deployment, clock: { now: () => NOW } } as typeof deployment);
  for (const of of [waiting, undefined]) {
    deployment.sent.length = 0;
    await resendStaleMessages({ ...deployment, clock: { now: () => NOW } } as typeof deployment, of);
    expect(deployment.sent.map(({ job }) => job)).toEqual(['job_stale']);
  }
  await sweepGates(deployment, (await readWaiting(deployment)).gates);
  const reasons = await Promise.all(held.map(async (job) => (await deployment.read(job))?.reason));
  expect(reasons).toEqual(['waiting_for_worker', 'waiting_for_worker']);
});

it('after the loss of the queues every job gets a message for when it can be claimed or its lease ends', async () => {
  const deployment = quietDeployment();
  const inSeconds = (seconds: number) => timestamp(deployment.clock.now() + seconds * 1000);
  await deployment.store({ id: 'job_ready' });
  await deployment.store({ id: 'job_paused', reason: 'retry_backoff', due_at: inSeconds(40) });
  await deployment.store({ id: 'job_later', reason: 'moon_phase' });
  await deployment.store(aRunningJob({ id: 'job_runs', lease_until: inSeconds(20) }));
  await deployment.store(aRunningJob({ id: 'job_lost', lease_until: inSeconds(-20) }));
  await deployment.store(aRunningJob({ id: 'job_odd', lease_until: undefined }));
  const { lines } = await printedBy(() => reissueAll(deployment));
  expect(Object.fromEntries(deployment.sent.map(({ job, seconds }) => [job, seconds]))).toEqual({
    job_ready: 0,
    job_paused: 40,
    job_runs: 20,
    job_lost: 0,
  });
  expect(lines).toEqual([]);
});
