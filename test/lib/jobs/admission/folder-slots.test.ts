import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { claim } from '../../../../lib/jobs/admission/claim.ts';
import { folderName } from '../../../../lib/jobs/admission/folder-slots.ts';
import { sweepGates, wakeIfFree, wakeNext } from '../../../../lib/jobs/admission/gates.ts';
import { acquireSlot } from '../../../../lib/jobs/admission/slots.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { randomJobId } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { readWaiting } from '../../../../lib/reconciler/reconcile-jobs.ts';
import { type EmulatedDeployment, emulateDeployment, inStillTime } from '../../../stand-ins/emulated-deployment.ts';
import { due } from '../due-effects.ts';

let deployment: EmulatedDeployment;
let project: string;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());
beforeEach(async () => {
  project = `project-${randomBytes(4).toString('hex')}`;
  await deployment.projects.resolve(project);
  await deployment.projectSettings.change(project, { exclusive_cwd: true });
});

const queued = async (job: Partial<Job> = {}) =>
  await deployment.store({ id: randomJobId(), project_id: project, project, cwd: 'shared', ...job });
const claimFor = async (job: Job) =>
  await claim(
    { ...deployment, pause: async () => undefined },
    { message: { v: 1, band: 'normal', project, job: job.id }, handle: '', receives: 2 },
    'worker',
  );
const read = async (job: Job) => await deployment.jobs.get(job.id, { consistent: true });

test('a job whose folder is busy waits with that reason, and starts when the folder is free', async () => {
  const first = await queued();
  expect(await claimFor(first)).toMatchObject({ kind: 'claimed', job: { id: first.id } });
  const second = await queued();
  expect((await claimFor(second)).kind).not.toBe('claimed');
  expect(await read(second)).toMatchObject({ status: 'QUEUED', reason: 'folder_busy', parked: 'folder_busy' });
  expect((await claimFor(second)).kind).not.toBe('claimed');

  const running = await read(first);
  await transition(deployment, running ?? first, { type: 'kill' });
  await sweepGates(deployment, (await readWaiting(deployment)).gates);
  expect(await read(second)).toMatchObject({ reason: 'folder_busy' });
  await deployment.jobs.apply((await read(first)) ?? first, {
    ...first,
    status: 'CANCELLED',
    reason: 'killed_by_request',
  });
  await sweepGates(deployment, (await readWaiting(deployment)).gates);
  expect(await read(second)).toMatchObject({ reason: 'waiting_for_worker' });
  expect(await claimFor(second)).toMatchObject({ kind: 'claimed', job: { id: second.id } });
});

test('the best of the waiting jobs is next', async () => {
  const first = await queued();
  await claimFor(first);
  const low = await queued({ priority: 0, queued_at: '2026-01-01T00:00:00.000Z' });
  const high = await queued({ priority: 5 });
  const folder = folderName(deployment.folders, low) ?? '';
  for (const job of [low, high])
    await transition(deployment, job, { type: 'wait', gate: { kind: 'folder', key: folder } });
  await wakeNext(deployment, { kind: 'folder', key: folder });
  expect([(await read(low))?.reason, (await read(high))?.reason]).toEqual(['folder_busy', 'waiting_for_worker']);
});

test('a turn enters the folder that only commands which wait for it keep busy', async () => {
  const id = randomJobId();
  const first = await queued({ id, thread_id: id, turn: 1 });
  await claimFor(first);
  const running = (await read(first)) ?? first;
  const ended = { status: 'SUCCEEDED', reason: 'exited', effects: due({ commands: [1] }) } as const;
  await deployment.jobs.apply(running, { ...running, ...ended });
  const next = await queued({ thread_id: id, turn: 2, continues: id });
  await deployment.threads.put(id, { turn: 2, jobId: next.id });
  const gate = { kind: 'folder', key: folderName(deployment.folders, next) ?? '' } as const;
  await transition(deployment, next, { type: 'wait', gate });
  expect(await read(next)).toMatchObject({ reason: 'folder_busy' });
  await wakeIfFree(deployment, gate);
  expect(await read(next)).toMatchObject({ reason: 'waiting_for_worker' });
});

test('a stale claim yields to another job, and then fails', async () => {
  const still = inStillTime(deployment);
  const [slow, other] = [await queued(), await queued()];
  const folder = folderName(deployment.folders, slow) ?? '';
  expect(await acquireSlot(still, slow, folder)).toBe(true);
  expect(await acquireSlot(still, other, folder)).toBe(false);
  const hold = await deployment.slots.read(folder);
  if (hold === undefined) throw new Error('there is no hold');
  await deployment.slots.replace(folder, hold, { ...hold, taken_at: timestamp(still.clock.now() - 11_000) });
  expect(await acquireSlot(still, other, folder)).toBe(true);
  const late = await transition(deployment, slow, { type: 'claim', workerId: 'slow', folder }, { rounds: 1 });
  expect(late.done).toBe(false);
});

test('of many concurrent claims of a free folder one succeeds', async () => {
  const jobs = await Promise.all(Array.from({ length: 6 }, async () => await queued()));
  const folder = folderName(deployment.folders, jobs[0] ?? (await queued())) ?? '';
  const still = inStillTime(deployment);
  const got = await Promise.all(jobs.map(async (job) => await acquireSlot(still, job, folder)));
  expect(got.filter(Boolean)).toHaveLength(1);
});
