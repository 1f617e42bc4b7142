import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { acquireFolder, waitForFolder, wakeIfFree, wakeNext } from '../../../../lib/jobs/admission/folder-slots.ts';
import { waitForProfileSlot, wakeForFreeSlots, wakeNextOf } from '../../../../lib/jobs/admission/profile-slots.ts';
import { acquireSlot, isFree, type Slot, type SlotContext } from '../../../../lib/jobs/admission/slots.ts';
import type { JobDeployment } from '../../../../lib/jobs/deployments/job-deployment.ts';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { NEWEST_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const id = (last: number) => `job_0000000000000000000000000${last}`;
const hold = (job: number, version: number): Slot => ({
  job_id: id(job),
  job_version: version,
  taken_at: '2026-11-20T10:00:00.000Z',
});
const PLACE = 'a-place';
const waiting = (last: number, more: Partial<Job> = {}) => ({
  id: id(last),
  reason: 'folder_busy' as const,
  parked: 'folder_busy' as const,
  folder: PLACE,
  ...more,
});

it('a slot is taken only from the owner that was read', async () => {
  const { slots: holds } = quietDeployment();
  expect(await holds.replace(PLACE, undefined, hold(1, 1))).toBe(true);
  expect(await holds.replace(PLACE, undefined, hold(2, 1))).toBe(false);
  expect(await holds.replace(PLACE, hold(2, 1), hold(3, 1))).toBe(false);
  expect(await holds.replace(PLACE, hold(1, 2), hold(3, 1))).toBe(false);
  expect(await holds.read(PLACE)).toEqual(hold(1, 1));
  expect(await holds.replace(PLACE, hold(1, 1), hold(3, 1))).toBe(true);
});

it('a taken slot is visible at once', async () => {
  const { slots: holds } = quietDeployment({ lag: 60_000 });
  await holds.replace(PLACE, undefined, hold(1, 1));
  expect(await holds.read(PLACE)).toEqual(hold(1, 1));
});

it('a job that has the slot for this version keeps it without a write, and takes it again for a new version', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store({ id: id(1) });
  expect(await acquireSlot(deployment, job, PLACE)).toBe(true);
  const before = deployment.calls.length;
  expect(await acquireSlot(deployment, job, PLACE)).toBe(true);
  expect(deployment.calls.slice(before)).not.toContainEqual(expect.any(PutCommand));
  const changed = await deployment.jobs.apply(job, { ...job, priority: 5 });
  if (!changed.applied) throw new Error('not applied');
  expect(await acquireSlot(deployment, changed.job, PLACE)).toBe(true);
  expect(await deployment.slots.read(PLACE)).toMatchObject({ job_id: id(1), job_version: changed.job.version });
});

it('a slot that another job of the same version is about to take is not free, for ten seconds', async () => {
  const deployment = quietDeployment();
  const [first, second] = [await deployment.store({ id: id(1) }), await deployment.store({ id: id(2) })];
  expect(first.version).toBe(second.version);
  expect(await acquireSlot(deployment, first, PLACE)).toBe(true);
  expect(await acquireSlot(deployment, second, PLACE)).toBe(false);
  await deployment.pass(9_999);
  expect(await isFree(deployment, PLACE)).toBe(false);
  await deployment.pass(1);
  expect(await acquireSlot(deployment, second, PLACE)).toBe(true);
  // The late claim can no longer succeed.
  expect((await deployment.read(first))?.version).toBeGreaterThan(first.version);
});

it('of two jobs that found a slot free one gets it', async () => {
  const deployment = quietDeployment();
  const [first, second] = [await deployment.store({ id: id(1) }), await deployment.store({ id: id(2) })];
  const overtaken: SlotContext = {
    ...deployment,
    slots: {
      read: async (place) => {
        const known = await deployment.slots.read(place);
        await acquireSlot(deployment, first, place);
        return known;
      },
      replace: async (...how) => await deployment.slots.replace(...how),
    },
  };
  expect(await acquireSlot(overtaken, second, PLACE)).toBe(false);
  expect(await deployment.slots.read(PLACE)).toMatchObject({ job_id: first.id });
});

it.each<[string, Partial<Job> | undefined, boolean]>([
  ['that runs there', { status: 'RUNNING', folder: PLACE }, false],
  ['that runs with this slot of its profile', { status: 'RUNNING', place: PLACE }, false],
  ['that runs elsewhere', { status: 'RUNNING', folder: 'another' }, true],
  ['that has ended', { status: 'FAILED', reason: 'exited' }, true],
  ['that waits for this slot', waiting(1), true],
  ['that is gone', undefined, true],
])('the slot of a job %s', async (_what, state, free) => {
  const deployment = quietDeployment();
  const job = aJob({ id: id(1) });
  if (state !== undefined) await deployment.store({ ...job, ...state, attempt: 1, version: job.version + 1 });
  await deployment.slots.replace(PLACE, undefined, {
    ...hold(1, job.version),
    taken_at: timestamp(deployment.clock.now()),
  });
  expect(await isFree(deployment, PLACE)).toBe(free);
});

it('the slot of a job of a later schema is not free', async () => {
  const deployment = quietDeployment();
  const job = aJob({ id: id(1) });
  const Item = { ...job, ...indexKeys(job), schema: NEWEST_JOB_SCHEMA + 1 };
  await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
  await deployment.slots.replace(PLACE, undefined, hold(1, 0));
  expect(await isFree(deployment, PLACE)).toBe(false);
});

const deployment = (state: JobDeployment['state'], more: Partial<JobDeployment> = {}) => ({
  ...{ job_id: id(1), attempt: 2, binding: `b-${state}`, name: 'b', mode: 'custom' as const, attempts: 0 },
  ...{ created_at: '', due_at: '', state },
  ...more,
});

it.each<[string, Partial<Job>, ReturnType<typeof deployment>[], boolean]>([
  ['is deployed by a command', {}, [deployment('succeeded'), deployment('pending')], false],
  ['is being deployed by a command', {}, [deployment('running')], false],
  [
    'was deployed by its commands, and calls continue',
    {},
    [deployment('failed'), deployment('pending', { mode: 'generic' })],
    true,
  ],
  ['will be deployed in a way not yet recorded', {}, [deployment('pending', { attempt: 1 })], false],
  ['is not deployed', { bindings_pending: undefined }, [deployment('pending')], true],
  [
    'has only a call to make, and a command of an earlier success that will be skipped',
    {},
    [deployment('pending', { mode: 'generic' }), deployment('pending', { attempt: 1, binding: 'b' })],
    true,
  ],
  ['waits again, and a command still deploys an earlier success', { status: 'QUEUED' }, [deployment('running')], false],
  ['waits again, before a command began that will be skipped', { status: 'QUEUED' }, [deployment('pending')], true],
])('the folder of a success that %s', async (_what, state, deployments, free) => {
  const service = quietDeployment();
  const ended = aJob({
    id: id(1),
    status: 'SUCCEEDED',
    reason: 'exited',
    attempt: 2,
    bindings_pending: [2],
    version: 7,
  });
  await service.store({ ...ended, ...state });
  for (const one of deployments) await service.deployments.replace(undefined, one);
  await service.slots.replace(PLACE, undefined, hold(1, 5));
  const next = await service.store({ id: id(2) });
  const waits = await service.store(waiting(3));
  await wakeIfFree(service, PLACE);
  expect((await service.read(waits))?.reason).toBe(free ? 'waiting_for_worker' : 'folder_busy');
  expect(await acquireFolder(service, next, PLACE)).toBe(free);
});

/** The index before the last change. */
const stale = (deployment: QuietDeployment, ...jobs: { id: string }[]): QuietDeployment => ({
  ...deployment,
  partition: async function* () {
    yield* jobs as Job[];
  },
});

it('a job that is woken for a folder waits for it, by a consistent read', async () => {
  const deployment = quietDeployment({ lag: 60_000 });
  const elsewhere = await deployment.store(waiting(1, { folder: 'another' }));
  const limited = await deployment.store(waiting(2, { parked: 'usage_limit', reason: 'usage_limit' }));
  const [next, last] = [await deployment.store(waiting(3)), await deployment.store(waiting(4))];
  const gone = { id: id(9) };
  await wakeNext(stale(deployment, gone, elsewhere, limited, next, last), PLACE);
  expect(await deployment.read(next)).toMatchObject({ reason: 'waiting_for_worker' });
  for (const job of [elsewhere, limited, last]) expect(await deployment.read(job)).toEqual(job);
});

it('a job that is woken for a profile uses that profile, and waits for it', async () => {
  const deployment = quietDeployment({ lag: 60_000 });
  const busy = { parked: 'profile_busy', reason: 'profile_busy', folder: undefined } as const;
  const another = await deployment.store(waiting(1, { ...busy, profile: 'another' }));
  const limited = await deployment.store(waiting(2, { ...busy, parked: 'usage_limit', reason: 'usage_limit' }));
  const [next, last] = [await deployment.store(waiting(3, busy)), await deployment.store(waiting(4, busy))];
  await wakeNextOf(stale(deployment, another, limited, next, last), next.profile);
  expect(await deployment.read(next)).toMatchObject({ reason: 'waiting_for_worker' });
  for (const job of [another, limited, last]) expect(await deployment.read(job)).toEqual(job);
});

it('a limit that was just imported counts', async () => {
  const deployment = quietDeployment({ lag: 60_000 });
  await deployment.profiles.put({ name: 'narrow', agent: 'shell' });
  await deployment.pass(120_000);
  await deployment.profiles.put({ name: 'narrow', agent: 'shell', concurrency: 1 });
  const busy = { parked: 'profile_busy', reason: 'profile_busy', folder: undefined, profile: 'narrow' } as const;
  const [next, last] = [await deployment.store(waiting(1, busy)), await deployment.store(waiting(2, busy))];
  await wakeForFreeSlots(deployment, 'narrow');
  expect([await deployment.read(next), await deployment.read(last)].map((job) => job?.reason).toSorted()).toEqual([
    'profile_busy',
    'waiting_for_worker',
  ]);
});

it('a folder or a slot that became free before its job waited for it is found', async () => {
  const deployment = quietDeployment();
  const [first, second] = [await deployment.store({ id: id(1) }), await deployment.store({ id: id(2) })];
  await waitForFolder(deployment, first, PLACE);
  await waitForProfileSlot(deployment, second);
  for (const job of [first, second])
    expect(await deployment.read(job)).toMatchObject({ reason: 'waiting_for_worker', version: job.version + 2 });
});

it('a job that may not wait for a slot wakes no other', async () => {
  const deployment = quietDeployment();
  const busy = { parked: 'profile_busy', reason: 'profile_busy', folder: undefined } as const;
  const next = await deployment.store(waiting(1, busy));
  const ended = await deployment.store({ id: id(2), status: 'CANCELLED', reason: 'cancelled_by_request' });
  await waitForProfileSlot(deployment, ended);
  expect(await deployment.read(next)).toEqual(next);
  const forFolder = await deployment.store(waiting(3));
  await waitForFolder(deployment, ended, PLACE);
  expect(await deployment.read(forFolder)).toEqual(forFolder);
});
