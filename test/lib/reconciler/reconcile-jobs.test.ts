import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { folderName } from '../../../lib/jobs/admission/folder-slots.ts';
import { type IndexedJob, jobsByStatus } from '../../../lib/jobs/dispatch/jobs-by-status.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { NewerSchemaError } from '../../../lib/jobs/lifecycle/newer-schema.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import {
  type ReconcilerContext,
  readWaiting,
  reissueAll,
  resendStaleMessages,
  takeOverLostJobs,
  wakeForFreeResources,
} from '../../../lib/reconciler/reconcile-jobs.ts';
import { printedBy } from '../../local-run/captured-lines.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aJob, aReceipt, aRunningJob } from '../jobs/a-job.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const ago = (milliseconds: number) => timestamp(NOW - milliseconds);
const FOLDERS = { workspaces: '/workspaces', roots: [] };
const BUSY = { reason: 'folder_busy', parked: 'folder_busy' } as const;

/** A running job whose lease is over. */
const lostJob = async (deployment: QuietDeployment, id: string, more: Partial<Job> = {}) =>
  await deployment.store(aRunningJob({ id, lease_until: timestamp(deployment.clock.now() - 1_000), ...more }));

/** What is found when these jobs wait, of which those with these states are read one by one. */
async function found(waiting: readonly Partial<Job>[], items: readonly Partial<Job>[] = []) {
  const asked: string[] = [];
  const findAll = async (ids: readonly string[]) => {
    asked.push(...ids);
    return new Map(items.map((item) => [item.id, aJob(item)]));
  };
  async function* byStatus(): AsyncGenerator<IndexedJob> {
    for (const job of waiting) yield aJob({ queued_at: undefined, ...job });
  }
  const context: unknown = {
    byStatus,
    jobs: { findAll },
    folders: FOLDERS,
    random: () => 0.5,
    clock: { now: () => NOW },
  };
  return { ...(await readWaiting(context as ReconcilerContext)), asked };
}

it('of each band and project, the oldest job that has been ready for a minute is stale', async () => {
  const { stale } = await found([
    { id: 'one', created_at: ago(60_001) },
    { id: 'same', created_at: ago(60_001) },
    { id: 'other band', priority: 1, created_at: ago(60_001) },
    { id: 'other project', project_id: 'p', created_at: ago(60_001) },
    { id: 'too young', project_id: 'q', created_at: ago(59_999) },
    { id: 'queued again', project_id: 'r', created_at: ago(90_000), queued_at: ago(1_000) },
    { id: 'not due', project_id: 's', created_at: ago(90_000), due_at: ago(-1_000), reason: 'retry_backoff' },
    { id: 'parked', project_id: 't', created_at: ago(90_000), reason: 'usage_limit' },
    { id: 'of a later version', project_id: 'u', created_at: ago(90_000), reason: 'moon_phase' },
  ]);
  expect([...stale.values()].map(({ id }) => id)).toEqual(['one', 'other band', 'other project']);
});

it('the folders and profiles that jobs wait for are found; a private folder is named by the item', async () => {
  const { folders, profiles, asked } = await found(
    [
      { id: 'ready', profile: 'a', cwd: 'elsewhere' },
      { id: 'ready without a folder', profile: 'a' },
      { id: 'in a folder', profile: 'b', cwd: 'work', ...BUSY },
      { id: 'in none', profile: 'c', cwd: '/etc', ...BUSY },
      { id: 'in a private one', profile: 'd', ...BUSY },
      { id: 'released since', profile: 'e', ...BUSY },
      { id: 'in no known one', profile: 'e', ...BUSY },
      { id: 'of a profile', profile: 'f', cwd: 'more', reason: 'profile_busy' },
    ],
    [
      { id: 'in a private one', ...BUSY, folder: 'private' },
      { id: 'released since', reason: 'waiting_for_worker', folder: 'released' },
      { id: 'in no known one', ...BUSY },
    ],
  );
  expect([...folders]).toEqual([folderName(FOLDERS, aJob({ cwd: 'work' })), 'private']);
  expect([...profiles]).toEqual(['f']);
  expect(asked).toEqual(['in a private one', 'released since', 'in no known one']);
});

it('the items of up to 1,000 jobs that wait for a private folder are all read', async () => {
  for (const count of [2, 900, 1_000]) {
    const waiting = Array.from({ length: count }, (_, n) => ({ id: `job_${n}`, ...BUSY }));
    expect((await found(waiting)).asked).toHaveLength(count);
  }
});

it('the index shows the jobs in a state, held ones only on request, and reports those that are unreadable', async () => {
  const deployment = quietDeployment();
  await deployment.store({ id: 'job_ready' });
  await deployment.store({ id: 'job_damaged' });
  await deployment.store({ id: 'job_held', ...BUSY, folder: 'f' });
  await deployment.store(aRunningJob({ id: 'job_runs' }));
  const send = async (command: never) => {
    const answer = (await deployment.table.send(command)) as { Items?: Record<string, unknown>[] };
    return {
      ...answer,
      Items: answer.Items?.map((item) => (item.id === 'job_damaged' ? { ...item, priority: 'x' } : item)),
    };
  };
  const byStatus = jobsByStatus({ send } as unknown as DynamoDBDocumentClient, deployment.env.JOBS_TABLE);
  const idsOf = async (...how: Parameters<typeof byStatus>) => {
    const ids: string[] = [];
    for await (const { id } of byStatus(...how)) ids.push(id);
    return ids.toSorted();
  };
  const { lines } = await printedBy(async () => {
    expect(await idsOf('QUEUED')).toEqual(['job_ready']);
    expect(await idsOf('QUEUED', { held: true })).toEqual(['job_held', 'job_ready']);
    expect(await idsOf('RUNNING')).toEqual(['job_runs']);
  });
  expect(lines.flatMap(({ item }) => item ?? [])).toEqual(['job job_damaged']);
});

it('the leases of running jobs are read 100 at a time, and 20 lost ones are ended at once', async () => {
  const ids = Array.from({ length: 250 }, (_, n) => `job_${n}`);
  const reads: number[] = [];
  const options: unknown[] = [];
  let [open, most] = [0, 0];
  async function* byStatus(_status: string, how?: unknown): AsyncGenerator<IndexedJob> {
    options.push(how);
    for (const id of ids) yield aRunningJob({ id });
  }
  const jobs = {
    expiredLeases: async (asked: readonly string[]) => {
      reads.push(asked.length);
      return asked;
    },
    find: async () => {
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      open -= 1;
      return undefined;
    },
  };
  const context = { byStatus, jobs, clock: { now: () => NOW } } as unknown as ReconcilerContext;
  expect(await takeOverLostJobs(context)).toEqual([]);
  expect([...reads, most]).toEqual([100, 100, 50, 20]);
  reads.length = 0;
  await takeOverLostJobs(context, { most: 120 });
  expect(reads).toEqual([100, 20]);
  // The index has four partitions with running jobs.
  expect(options).toEqual([undefined, { page: 30 }]);
});

it('a job stays as it is whose lease was renewed since, or that only a later version can end', async () => {
  const deployment = quietDeployment();
  const lease_until = timestamp(deployment.clock.now() + 1_000);
  const renewed = await lostJob(deployment, 'job_renewed', { lease_until });
  const later = await lostJob(deployment, 'job_later', { reason: 'moon_phase' });
  const newer = await lostJob(deployment, 'job_newer');
  const unreadable = await lostJob(deployment, 'job_unreadable');
  const all = [renewed, later, newer, unreadable];
  deployment.jobs.expiredLeases = async () => all.map(({ id }) => id);
  const read: string[] = [];
  const readReceipt = async (id: string) => {
    read.push(id);
    throw id === newer.id ? new NewerSchemaError('receipt.json') : new Error('unreadable');
  };
  const { lines, result } = await printedBy(() => takeOverLostJobs({ ...deployment, readReceipt }));
  expect(result).toEqual([]);
  expect(read).toEqual([newer.id, unreadable.id]);
  expect(lines.flatMap(({ item }) => item ?? [])).toEqual(['job job_unreadable']);
  expect(await Promise.all(all.map((job) => deployment.read(job)))).toEqual(all);
});

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
  await wakeForFreeResources(deployment);
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
