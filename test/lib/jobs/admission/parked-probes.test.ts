import { describe, expect, it, vi } from 'vitest';
import { probeParkedJobs, releaseParked, unparkAll } from '../../../../lib/jobs/admission/parked-jobs.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aRunningJob } from '../a-job.ts';

const REASON = 'usage_limit';
const PAST = '2026-11-20T09:00:00.000Z';
const id = (last: number) => `job_0000000000000000000000000${last}`;
const waits = (last: number, more: Partial<Job> = {}) =>
  aJob({ id: id(last), profile: 'codex', reason: REASON, parked: REASON, due_at: PAST, ...more });

/** A deployment whose index of parked jobs lists these, as they were. */
function listing(deployment: QuietDeployment, ...jobs: readonly Job[]): QuietDeployment {
  return {
    ...deployment,
    partition: async function* (key) {
      if (key.includes(REASON)) yield* jobs;
    },
  };
}

const open = (last: number) => ({ job_id: id(last), attempt: 1, next_at: PAST });

describe('a probe', () => {
  it.each<[string, Partial<Job>]>([
    ['is no longer parked', { parked: undefined, reason: 'waiting_for_worker' }],
    ['is parked for what only a later version knows', { reason: 'budget_reached' }],
  ])('is left to the next job if the first one %s', async (_what, now) => {
    const deployment = quietDeployment({ lag: 60_000 });
    const stale = await deployment.store(waits(1));
    const second = await deployment.store(waits(2));
    await deployment.pass(120_000);
    const changed = await deployment.jobs.apply(stale, { ...stale, ...now });
    if (!changed.applied) throw new Error('not applied');
    const listed = now.parked === undefined && 'parked' in now ? stale : changed.job;
    await probeParkedJobs(listing(deployment, listed, second));
    expect(await deployment.probes.read(REASON)).toMatchObject({ job_id: second.id });
    expect(await deployment.read(second)).toMatchObject({ probing: REASON });
    expect(await deployment.read(stale)).not.toHaveProperty('probing');
  });

  it('that is open leaves the others parked, and looks nothing else up', async () => {
    const deployment = quietDeployment();
    await deployment.store(aJob({ id: id(1), probing: REASON }));
    const other = await deployment.store(waits(2));
    await deployment.probes.replace(REASON, undefined, open(1));
    const profiles = { get: vi.fn() };
    await probeParkedJobs({ ...deployment, profiles });
    expect(profiles.get).not.toHaveBeenCalled();
    expect(await deployment.read(other)).toEqual(other);
  });

  it.each([
    ['still tries to reach an overloaded vendor', '2026-11-20T09:50:00.000Z', 'vendor_overloaded'],
    ['has worked for long', '2026-11-20T09:30:00.000Z', 'waiting_for_worker'],
  ])('whose agent %s keeps the others waiting or not', async (_what, started_at, reason) => {
    const deployment = quietDeployment();
    const parked = 'vendor_overloaded';
    await deployment.store(aRunningJob({ id: id(1), probing: parked, profile: 'codex', started_at }));
    const other = await deployment.store(waits(2, { parked, reason: parked }));
    await deployment.probes.replace(parked, undefined, open(1));
    await probeParkedJobs(deployment);
    expect(await deployment.read(other)).toMatchObject({ reason });
  });

  it('is inconclusive if only a later version understands what became of its job', async () => {
    const deployment = quietDeployment();
    await deployment.store(aJob({ id: id(1), status: 'PAUSED', attempt: 1, profile: 'codex' }));
    const others = [await deployment.store(waits(2)), await deployment.store(waits(3))];
    await deployment.probes.replace(REASON, undefined, open(1));
    await probeParkedJobs(deployment);
    const probing = (await Promise.all(others.map(deployment.read))).filter((job) => job?.probing === REASON);
    expect(probing).toHaveLength(1);
    expect(await deployment.probes.read(REASON)).toMatchObject({ job_id: probing[0]?.id });
  });

  it('is looked for among the first 2,000 jobs of an account whose turn it is not', async () => {
    const deployment = quietDeployment();
    const first = await deployment.store(waits(1));
    await probeParkedJobs(deployment);
    const probe = await deployment.probes.read(REASON);
    const job = await deployment.read(first);
    if (probe === undefined || job === undefined) throw new Error('no probe has begun');
    await deployment.jobs.apply(job, { ...waits(1), version: job.version, attempt: 1 });
    await deployment.pass(24 * 3_600_000);
    const known = await deployment.read(first);
    let listed = 0;
    const endless: QuietDeployment['partition'] = async function* (key) {
      for (; key.includes(REASON) && listed < 3_000; listed += 1) yield known ?? job;
    };
    await probeParkedJobs({ ...deployment, partition: endless });
    expect(listed).toBe(2_000);
    expect(await deployment.read(first)).toMatchObject({ probing: REASON });
  });
});

describe('what a probe has found', () => {
  const ran = aRunningJob({ id: id(1), probing: REASON, profile: 'codex' });
  const after = aJob({ id: id(1), status: 'FAILED', reason: 'exited', attempt: 1, profile: 'codex' });

  it.each([
    ['of the job that waits', 'codex', 'gone'],
    ['of the job that ran', 'gone', 'codex'],
  ])('counts if the profile %s is gone', async (_which, profile, other) => {
    const deployment = quietDeployment();
    const waiting = await deployment.store(waits(2, { profile: other }));
    await releaseParked(deployment, { ...ran, profile }, { ...after, profile });
    expect(await deployment.read(waiting)).toMatchObject({ reason: 'waiting_for_worker' });
  });

  it('counts for jobs of one account', async () => {
    const deployment = quietDeployment();
    const waiting = await deployment.store(waits(2, { profile: 'claude' }));
    await releaseParked(deployment, ran, after);
    expect(await deployment.read(waiting)).toEqual(waiting);
  });

  it('about a reason that only a later version knows is left to that version', async () => {
    const deployment = quietDeployment();
    await releaseParked(deployment, { ...ran, probing: 'budget_reached' }, after);
    expect(deployment.calls).toEqual([]);
  });

  it('is forgotten with a probe whose job is gone, when an account is linked', async () => {
    const deployment = quietDeployment();
    await deployment.probes.replace(REASON, undefined, open(1));
    await unparkAll(deployment, REASON, async ({ profile }) => profile === 'claude');
    expect(await deployment.probes.read(REASON)).toBeUndefined();
  });
});

it('a waiting job shows when it is checked next; one that has ended does not', async () => {
  const deployment = quietDeployment();
  const at = (seconds: number) => timestamp(deployment.clock.now() + seconds * 1000);
  await deployment.probes.replace(REASON, undefined, { ...open(1), next_at: at(60) });
  const jobs = [
    waits(2, { due_at: at(30) }),
    waits(3, { due_at: at(90) }),
    aJob({ id: id(4), status: 'FAILED', reason: REASON }),
  ];
  expect((await deployment.probes.dated(jobs)).map(({ due_at }) => due_at)).toEqual([at(60), at(90), undefined]);
});
