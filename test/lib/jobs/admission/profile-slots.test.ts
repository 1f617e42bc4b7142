import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { claim } from '../../../../lib/jobs/admission/claim.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { randomJobId } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { viewReason } from '../../../../lib/jobs/views/job-view.ts';
import { afterAttempt } from '../../../../lib/reconciler/after-attempt.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aReceipt } from '../a-job.ts';

let deployment: EmulatedDeployment;
let profile: string;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());
beforeEach(() => {
  profile = `profile-${randomBytes(4).toString('hex')}`;
});

const allow = async (concurrency?: number) =>
  await deployment.profiles.put({ name: profile, agent: 'shell', ...(concurrency !== undefined && { concurrency }) });
const queued = async (job: Partial<Job> = {}) =>
  await deployment.store({ id: randomJobId(), project_id: profile, project: profile, profile, ...job });
const queuedMany = async (count: number) =>
  await Promise.all(Array.from({ length: count }, async () => await queued()));
const claimFor = async (job: Job, worker = 'worker') =>
  await claim(
    { ...deployment, pause: async () => undefined },
    { message: { v: 1, band: 'normal', project: job.project_id, job: job.id }, handle: '', receives: 2 },
    worker,
  );
const read = async (job: Job) => (await deployment.jobs.get(job.id, { consistent: true })) ?? job;
const inState = async (jobs: readonly Job[], status: Job['status']) =>
  (await Promise.all(jobs.map(read))).filter((job) => job.status === status);
const waiting = async (jobs: readonly Job[]) =>
  (await Promise.all(jobs.map(read))).filter((job) => job.parked === 'profile_busy');
/** As a worker ends an attempt. */
async function end(job: Job): Promise<void> {
  const before = await read(job);
  const receipt = aReceipt(
    { kind: 'failed', reason: 'exited', exit_code: 1 },
    { job_id: job.id, attempt: job.attempt },
  );
  const after = await transition(deployment, before, { type: 'end', receipt: { ...receipt, attempt: before.attempt } });
  if (!after.done) throw new Error(after.rejected);
  await afterAttempt(deployment, before, after.job);
}

test('of many claims at once as many succeed as the profile allows; the others wait and state the reason', async () => {
  await allow(2);
  const jobs = await queuedMany(7);
  await Promise.all(jobs.flatMap((job) => ['a', 'b'].map(async (worker) => await claimFor(job, worker))));
  const running = await inState(jobs, 'RUNNING');
  expect(new Set(running.map(({ place }) => place)).size).toBe(2);
  expect(running).toHaveLength(2);
  for (const job of await inState(jobs, 'QUEUED')) await claimFor(job);
  const others = await waiting(jobs);
  expect(others).toHaveLength(5);
  expect(viewReason(others[0] as Job)).toMatchObject({
    code: 'profile_busy',
    message: expect.stringContaining('profile'),
    retryable: true,
  });
});

test('the best of the waiting jobs is next when an attempt ends in any way', async () => {
  await allow(1);
  const first = await queued();
  await claimFor(first);
  const [low, high] = [await queued({ queued_at: '2026-01-01T00:00:00.000Z' }), await queued({ priority: 5 })];
  for (const job of [low, high]) await claimFor(job);
  expect(await waiting([low, high])).toHaveLength(2);
  await end(first);
  expect([(await read(low)).reason, (await read(high)).reason]).toEqual(['profile_busy', 'waiting_for_worker']);
  expect(await claimFor(high)).toMatchObject({ kind: 'claimed', job: { id: high.id } });
});

test('a job keeps no slot of its profile while it waits for its folder', async () => {
  await allow(1);
  await deployment.projects.resolve(profile);
  await deployment.projectSettings.change(profile, { exclusive_cwd: true });
  const inFolder = await queued({ profile: 'codex', cwd: 'shared' });
  await claimFor(inFolder);
  const both = await queued({ cwd: 'shared', queued_at: '2026-01-01T00:00:00.000Z' });
  const free = await queued({ queued_at: '2026-01-02T00:00:00.000Z' });
  // Its dispatch message serves the next job, which gets the slot.
  expect(await claimFor(both)).toMatchObject({ kind: 'claimed', job: { id: free.id } });
  expect((await read(both)).reason).toBe('folder_busy');
  // A job that waits for the profile keeps no other out of the folder.
  await end(inFolder);
  await claimFor(both);
  expect((await read(both)).reason).toBe('profile_busy');
  const third = await queued({ profile: 'codex', cwd: 'shared' });
  expect(await claimFor(third)).toMatchObject({ kind: 'claimed', job: { id: third.id } });
});

test('a limit holds from the moment its import was answered, although most reads are behind', async () => {
  const lagging = quietDeployment({ lag: 60_000 });
  const jobs = [await lagging.store({ id: randomJobId() }), await lagging.store({ id: randomJobId() })];
  await lagging.profiles.put({ name: jobs[0]?.profile ?? '', agent: 'shell', concurrency: 1 });
  for (const { id } of jobs) {
    const message = { v: 1, band: 'normal', project: 'local_project', job: id } as const;
    await claim({ ...lagging, pause: async () => undefined }, { message, handle: '', receives: 2 }, 'worker');
  }
  const states = await Promise.all(jobs.map(async (job) => (await lagging.read(job))?.reason));
  expect(states.toSorted()).toEqual(['profile_busy', 'running']);
});
