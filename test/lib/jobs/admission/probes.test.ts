import { type DynamoDBDocumentClient, PutCommand, type UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { probeParkedJobs, releaseParked, unparkAll } from '../../../../lib/jobs/admission/parked-jobs.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { NEWEST_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { JobStore } from '../../../../lib/jobs/store/job-store.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const REASON = 'usage_limit';
const id = (last: number) => `job_0000000000000000000000000${last}`;
/** The probing job, and the attempt that probes. */
const TRIES = { job_id: id(1), attempt: 2 };
const LATER_SCHEMA = { schema: NEWEST_JOB_SCHEMA + 1 };

async function parked(deployment: QuietDeployment, last: number, more: Partial<Job> = {}): Promise<Job> {
  const due_at = timestamp(deployment.clock.now() - 1_000);
  return await deployment.store({ id: id(last), parked: REASON, reason: REASON, due_at, ...more });
}

async function put(deployment: QuietDeployment, job: Job): Promise<void> {
  const Item = { ...job, ...indexKeys(job) };
  await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
}

it.each<[string, Partial<Job> | undefined, 'nobody' | 'the next' | 'all']>([
  ['is about to probe', { status: 'QUEUED', attempt: 1, probing: REASON }, 'nobody'],
  ['probes', { status: 'RUNNING', attempt: 2, probing: REASON }, 'nobody'],
  ['runs, since it has waited for its turn', { status: 'RUNNING', attempt: 2 }, 'nobody'],
  ['is of a later schema', { status: 'QUEUED', attempt: 2, ...LATER_SCHEMA }, 'nobody'],
  ['waits for its turn', { status: 'QUEUED', parked: 'folder_busy', folder: 'f', attempt: 1 }, 'the next'],
  ['was cancelled', { status: 'CANCELLED', attempt: 2 }, 'the next'],
  ['is gone', undefined, 'the next'],
  ['is parked again', { status: 'QUEUED', parked: REASON, attempt: 2 }, 'the next'],
  ['has ended', { status: 'FAILED', attempt: 2 }, 'all'],
  ['has ended and runs again', { status: 'RUNNING', attempt: 3 }, 'all'],
  ['is parked for something else', { status: 'QUEUED', parked: 'account_required', attempt: 2 }, 'all'],
])('when the probing job %s, %3$s is released', async (_what, tries, released) => {
  const deployment = quietDeployment();
  const now = deployment.clock.now();
  const others = [await parked(deployment, 2), await parked(deployment, 3)];
  if (tries !== undefined) {
    const due_at = tries.parked === undefined ? undefined : timestamp(now + 60_000);
    await put(deployment, aJob({ id: TRIES.job_id, due_at, ...tries }));
  }
  await deployment.probes.replace(REASON, undefined, { ...TRIES, next_at: timestamp(now - 1) });
  await probeParkedJobs(deployment);
  const after = await Promise.all(others.map(async (job) => await deployment.read(job)));
  const wanted = { nobody: 0, 'the next': 1, all: 2 }[released];
  expect(after.filter((job) => job?.parked === undefined)).toHaveLength(wanted);
  expect(after.filter((job) => job?.probing === REASON)).toHaveLength(wanted === 1 ? 1 : 0);
});

it('what a job does with another profile, which an edit gave it after it had probed, is no result', async () => {
  const deployment = quietDeployment();
  const [tries, other] = [await parked(deployment, 1, { profile: 'codex' }), await parked(deployment, 2)];
  await probeParkedJobs(deployment);
  const probing = (await deployment.read(tries)) as Job;
  expect(probing.probing).toBe(REASON);
  const { probing: _probing, ...rest } = probing;
  const again: Job = { ...rest, attempt: 1, parked: REASON, reason: REASON, due_at: '2026-11-27T00:00:00.000Z' };
  await deployment.jobs.apply(probing, again);
  const changes = { profile: 'claude', agent: 'claude' } as const;
  const known = (await deployment.read(tries)) as Job;
  expect(await transition(deployment, known, { type: 'edit', changes })).toMatchObject({
    done: true,
    job: { reason: 'waiting_for_worker' },
  });
  await probeParkedJobs(deployment);
  expect(await deployment.read(other)).toMatchObject({ parked: REASON });
  await deployment.pass(600_000);
  await probeParkedJobs(deployment);
  expect(await deployment.read(other)).toMatchObject({ probing: REASON });
});

it('what a probing job does after it was cancelled and retried is no result', async () => {
  const deployment = quietDeployment();
  const [tries, other] = [await parked(deployment, 1), await parked(deployment, 2)];
  await probeParkedJobs(deployment);
  const probing = (await deployment.read(tries)) as Job;
  const { probing: _probing, ...rest } = probing;
  const again: Job = { ...rest, attempt: 1, parked: REASON, reason: REASON, due_at: '2026-11-27T00:00:00.000Z' };
  await deployment.jobs.apply(probing, again);
  for (const event of [{ type: 'cancel' }, { type: 'retry' }] as const) {
    const known = (await deployment.read(tries)) as Job;
    expect(await transition(deployment, known, event)).toMatchObject({ done: true });
  }
  expect(await deployment.read(tries)).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker', attempt: 1 });
  await probeParkedJobs(deployment);
  expect(await deployment.read(other)).toMatchObject({ parked: REASON });
  await deployment.pass(600_000);
  await probeParkedJobs(deployment);
  expect(await deployment.read(other)).toMatchObject({ probing: REASON });
});

it('the accounts take turns, however many jobs of one wait before the others', async () => {
  const deployment = quietDeployment();
  const profiles = ['one', 'one', 'one', 'one', 'one', 'two', 'three'];
  for (const name of new Set(profiles))
    await deployment.profiles.put({ name, agent: 'codex', env: { CODEX_API_KEY: { secret: name } } });
  const jobs: Job[] = [];
  for (const [at, profile] of profiles.entries()) {
    jobs.push(await parked(deployment, at + 1, { profile }));
    await deployment.pass(10);
  }
  const probed: string[] = [];
  for (let time = 0; time < 6; time += 1) {
    await deployment.pass(600_000);
    await probeParkedJobs(deployment);
    const latest = await Promise.all(jobs.map(async (job) => (await deployment.read(job)) as Job));
    for (const { probing: _probing, ...job } of latest.filter(({ probing }) => probing !== undefined)) {
      probed.push(job.profile);
      const due_at = timestamp(deployment.clock.now() + 300_000);
      const again: Job = { ...job, attempt: job.attempt + 1, parked: REASON, reason: REASON, due_at };
      await deployment.jobs.apply((await deployment.read(job)) as Job, again);
    }
  }
  expect(probed).toEqual(['one', 'two', 'three', 'one', 'two', 'three']);
});

it('no job probes before the time of the next probe, or before it is due', async () => {
  const deployment = quietDeployment();
  const now = deployment.clock.now();
  const job = await parked(deployment, 2);
  await deployment.probes.replace(REASON, undefined, { ...TRIES, next_at: timestamp(now + 1_000) });
  await probeParkedJobs(deployment);
  expect(await deployment.read(job)).toEqual(job);
  const later = quietDeployment();
  const notDue = await parked(later, 2, { due_at: timestamp(later.clock.now() + 1_000) });
  await probeParkedJobs(later);
  expect(await later.read(notDue)).toEqual(notDue);
});

it('probes that find nothing pause for an eighth of the time that they have taken, at most a quarter of an hour', async () => {
  const deployment = quietDeployment();
  const began = deployment.clock.now();
  const job = await parked(deployment, 1);
  const probes = new Map<number, number>();
  while (deployment.clock.now() < began + 6 * 3_600_000) {
    await probeParkedJobs(deployment);
    const { probing, ...after } = (await deployment.read(job)) as Job;
    if (probing !== undefined) {
      const minute = Math.round((deployment.clock.now() - began) / 60_000);
      const next = (await deployment.probes.read(REASON))?.next_at ?? '';
      probes.set(minute, (Date.parse(next) - deployment.clock.now()) / 60_000);
      const again: Job = { ...after, attempt: after.attempt + 1, parked: REASON, reason: REASON, due_at: job.due_at };
      await deployment.jobs.apply((await deployment.read(job)) as Job, again);
    }
    await deployment.pass(60_000);
  }
  for (const [minute, pause] of probes)
    expect(pause, `at minute ${minute}`).toBeCloseTo(Math.min(15, Math.max(5, minute / 8)), 1);
  expect([...probes.keys()].at(-1)).toBeGreaterThan(340);
  expect(probes.size).toBeLessThan(40);
});

it('the pauses begin with the shortest again after an hour without a probe', async () => {
  const deployment = quietDeployment();
  const now = deployment.clock.now();
  await parked(deployment, 2);
  const [since, next_at] = [timestamp(now - 86_400_000), timestamp(now - 3_600_000)];
  await deployment.probes.replace(REASON, undefined, { ...TRIES, since, next_at });
  await probeParkedJobs(deployment);
  expect(await deployment.probes.read(REASON)).toMatchObject({ next_at: timestamp(now + 300_000) });
});

it('a probe is replaced and deleted only if it is unchanged since it was read', async () => {
  const { probes } = quietDeployment({ lag: 60_000 });
  const [first, again] = [
    { ...TRIES, next_at: '2026-11-20T10:00:00.000Z' },
    { ...TRIES, next_at: '2026-11-20T10:05:00.000Z' },
  ];
  expect(await probes.replace(REASON, undefined, first)).toBe(true);
  expect(await probes.replace(REASON, undefined, again)).toBe(false);
  expect(await probes.replace(REASON, first, again)).toBe(true);
  expect(await probes.replace(REASON, first, first)).toBe(false);
  await probes.forget(REASON, first);
  expect(await probes.read(REASON)).toEqual(again);
  await probes.forget(REASON, again);
  expect(await probes.read(REASON)).toBeUndefined();
});

it('releasing some jobs ends neither the probe of others, nor one of a later schema', async () => {
  const deployment = quietDeployment();
  const probe = { ...TRIES, next_at: timestamp(deployment.clock.now()) };
  await deployment.probes.replace(REASON, undefined, probe);
  await put(deployment, aJob({ id: TRIES.job_id, attempt: 2, ...LATER_SCHEMA }));
  await unparkAll(deployment, REASON, async () => true);
  expect(await deployment.probes.read(REASON)).toEqual(probe);
  await put(deployment, aJob({ id: TRIES.job_id, attempt: 2, probing: REASON }));
  await unparkAll(deployment, REASON, async () => false);
  expect(await deployment.probes.read(REASON)).toEqual(probe);
  await unparkAll(deployment, REASON, async () => true);
  expect(await deployment.probes.read(REASON)).toBeUndefined();
});

it('the result of a probe whose record an account link has deleted leaves the record of the next probe', async () => {
  const deployment = quietDeployment();
  const [first, second] = [await parked(deployment, 1), await parked(deployment, 2)];
  await probeParkedJobs(deployment);
  const known = await deployment.probes.read(REASON);
  if (known === undefined) throw new Error('no probe was recorded');
  await deployment.probes.forget(REASON, known);
  await probeParkedJobs(deployment);
  const [one, other] = [(await deployment.read(first)) as Job, (await deployment.read(second)) as Job];
  expect([one.probing, other.probing]).toEqual([REASON, REASON]);
  const { probing: _probing, ...ended } = one;
  await releaseParked(deployment, one, { ...ended, status: 'SUCCEEDED' });
  const late = await parked(deployment, 3);
  await deployment.pass(600_000);
  await probeParkedJobs(deployment);
  expect(await deployment.read(late)).toMatchObject({ parked: REASON });
});

it('a probe whose release was not confirmed is not released again once it has ended and its job is parked again', async () => {
  const deployment = quietDeployment();
  const job = await parked(deployment, 2);
  let isRepeated = false;
  const send = async (command: UpdateCommand) => {
    if (isRepeated) return await deployment.table.send(command);
    isRepeated = true;
    await deployment.table.send(command);
    const tries = await deployment.read(job);
    if (tries?.probing === undefined) throw new Error('it was not let go');
    const { probing: _, ...ended } = tries;
    await deployment.jobs.apply(tries, { ...ended, attempt: 1, parked: REASON, reason: REASON });
    return await deployment.table.send(command);
  };
  const jobs = new JobStore({ send } as unknown as DynamoDBDocumentClient, deployment.env.JOBS_TABLE);
  const context = { ...deployment, jobs: Object.assign(jobs, { get: deployment.jobs.get.bind(deployment.jobs) }) };
  await probeParkedJobs(context);
  expect(await deployment.read(job)).toMatchObject({ attempt: 1, parked: REASON });
  expect(await deployment.probes.read(REASON)).toMatchObject({ job_id: job.id, attempt: 1 });
});
