import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { probeParkedJobs, releaseParked, unparkAll } from '../../../../lib/jobs/admission/vendor-gate.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { ParkReason } from '../../../../lib/jobs/lifecycle/gates.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import type { Outcome } from '../../../../lib/jobs/receipts/receipt.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aReceipt, aRunningJob } from '../a-job.ts';

let deployment: EmulatedDeployment;
let now = Date.parse('2026-11-20T10:00:00.000Z');
const context = () => ({ ...deployment, clock: { now: () => now } });

beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const parked: string[] = [];
const id = (name: string) => jobIdOfKey(`parked test ${name}`);
const stored = async (job: Pick<Job, 'id'>) => await deployment.jobs.get(job.id, { consistent: true });

async function ended(job: Job, outcome: Partial<Outcome> & Pick<Outcome, 'kind' | 'reason'>): Promise<Job> {
  const receipt = aReceipt({ exit_code: 1, ...outcome }, { job_id: job.id, attempt: job.attempt });
  const result = await transition(context(), job, { type: 'end', receipt });
  if (!result.done) throw new Error(result.rejected);
  return result.job;
}

async function park(
  name: string,
  reason: ParkReason,
  { until, profile = 'codex' }: { until?: string; profile?: string } = {},
): Promise<Job> {
  const job = await deployment.store(aRunningJob({ id: id(name), retries: 1, profile }));
  parked.push(job.id);
  // Jobs that are parked later become due later.
  now += 1;
  return await ended(job, { kind: 'parked', reason, ...(until !== undefined && { until }) });
}

async function claimed(job: Pick<Job, 'id'>): Promise<Job> {
  const latest = await stored(job);
  if (latest === undefined) throw new Error('the job is gone');
  const result = await transition(context(), latest, { type: 'claim', workerId: 'worker-1' });
  if (!result.done) throw new Error(result.rejected);
  return result.job;
}

async function probing(jobs: readonly Job[]): Promise<string[]> {
  const latest = await Promise.all(jobs.map(stored));
  return latest.filter((job) => job?.probing !== undefined).map((job) => job?.id ?? '');
}

/** Ends every job of the test, so that the next begins with none. */
afterEach(async () => {
  for (const reason of ['account_required', 'usage_limit'] as const) await unparkAll(context(), reason);
  for (const jobId of parked.splice(0)) {
    const latest = await stored({ id: jobId });
    if (latest !== undefined) await transition(context(), latest, { type: 'cancel' });
  }
});

describe('of jobs that wait for the vendor account', () => {
  it('one probes every minute while the others wait, in turn, and none uses a retry', async () => {
    const first = await park('first', 'account_required');
    now += 1_000;
    const second = await park('second', 'account_required');
    const jobs = [first, second];
    expect(second.due_at).toBe(timestamp(now + 60_000));
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([]);
    now += 60_000;
    await probeParkedJobs(context());
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([first.id]);
    const attempt = await claimed(first);
    now += 120_000;
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([first.id]);
    const parkedAgain = await ended(attempt, { kind: 'parked', reason: 'account_required' });
    await releaseParked(context(), attempt, parkedAgain);
    expect(parkedAgain).toMatchObject({ status: 'QUEUED', parked: 'account_required' });
    expect([parkedAgain.retries_used, parkedAgain.losses, parkedAgain.probing]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await stored(second)).toMatchObject({ parked: 'account_required' });
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([second.id]);
  });

  it('all start once a probe succeeds', async () => {
    const jobs = [
      await park('a', 'account_required'),
      await park('b', 'account_required'),
      await park('c', 'account_required'),
    ];
    now += 61_000;
    await probeParkedJobs(context());
    const [tries] = await probing(jobs);
    const attempt = await claimed({ id: tries ?? '' });
    await releaseParked(context(), attempt, await ended(attempt, { kind: 'failed', reason: 'exited' }));
    const latest = await Promise.all(jobs.map(stored));
    expect(latest.map((job) => job?.parked)).toEqual([undefined, undefined, undefined]);
    expect(latest.filter((job) => job?.reason === 'waiting_for_worker')).toHaveLength(2);
  });

  it('another job probes if the probing job is cancelled before it runs', async () => {
    const jobs = [await park('f', 'account_required'), await park('g', 'account_required')];
    now += 61_000;
    await probeParkedJobs(context());
    const [first] = jobs;
    const tries = first && (await stored(first));
    if (tries === undefined) throw new Error('gone');
    await transition(context(), tries, { type: 'cancel' });
    now += 61_000;
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([jobs[1]?.id]);
  });

  it('exactly one job probes, however many reconcilers run at once', async () => {
    const jobs = [await park('j', 'account_required'), await park('k', 'account_required')];
    now += 61_000;
    await Promise.all(Array.from({ length: 6 }, () => probeParkedJobs(context())));
    expect(await probing(jobs)).toHaveLength(1);
  });

  it('all start at once when the account is linked', async () => {
    const jobs = [await park('l', 'account_required'), await park('m', 'account_required')];
    await unparkAll(context(), 'account_required');
    expect((await Promise.all(jobs.map(stored))).map((job) => job?.parked)).toEqual([undefined, undefined]);
  });
});

it('jobs that wait for the account of another vendor still wait after one is linked', async () => {
  const jobs = [await park('linked', 'account_required'), await park('other', 'account_required')];
  await unparkAll(context(), 'account_required', async ({ id: waiting }) => waiting === jobs[0]?.id);
  expect((await Promise.all(jobs.map(stored))).map((job) => job?.parked)).toEqual([undefined, 'account_required']);
});

describe('of jobs that wait for the accounts of different vendors', () => {
  const parkedOf = async (jobs: readonly Job[]) => (await Promise.all(jobs.map(stored))).map((job) => job?.parked);

  it.each([
    ['the worker of the probe releases them', true],
    ['the next reconciler run releases them, as the worker died', false],
  ])('only jobs of the probed account start when %s', async (_, alive) => {
    const jobs = [
      await park(`codex 1 ${alive}`, 'account_required'),
      await park(`claude 1 ${alive}`, 'account_required', { profile: 'claude' }),
      await park(`codex 2 ${alive}`, 'account_required'),
    ];
    const [first, claude] = jobs as [Job, Job, Job];
    now += 61_000;
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([first.id]);
    const attempt = await claimed(first);
    const after = await ended(attempt, { kind: 'failed', reason: 'exited' });
    await (alive ? releaseParked(context(), attempt, after) : probeParkedJobs(context()));
    expect(await parkedOf(jobs)).toEqual([undefined, 'account_required', undefined]);
    // The jobs of the other account probe in their turn.
    now += 61_000;
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([claude.id]);
  });

  it('a profile with its own key is another account', async () => {
    await deployment.profiles.put({ name: 'own-key', agent: 'codex', env: { CODEX_API_KEY: { secret: 'KEY' } } });
    const jobs = [
      await park('shared key', 'usage_limit'),
      await park('own key', 'usage_limit', { profile: 'own-key' }),
    ];
    now += 301_000;
    await probeParkedJobs(context());
    const attempt = await claimed(jobs[0] as Job);
    await releaseParked(context(), attempt, await ended(attempt, { kind: 'succeeded', reason: 'exited' }));
    expect(await parkedOf(jobs)).toEqual([undefined, 'usage_limit']);
  });
});

describe('jobs that wait for a usage limit', () => {
  it('wait until the time that the vendor gave', async () => {
    const until = timestamp(now + 3_600_000);
    const job = await park('until', 'usage_limit', { until });
    expect(job.due_at).toBe(until);
    now += 3_599_000;
    await probeParkedJobs(context());
    expect(await probing([job])).toEqual([]);
    now += 2_000;
    await probeParkedJobs(context());
    expect(await probing([job])).toEqual([job.id]);
  });

  it('probe every five minutes if the vendor gave none', async () => {
    const job = await park('unsaid', 'usage_limit');
    now += 299_000;
    await probeParkedJobs(context());
    expect(await probing([job])).toEqual([]);
    now += 2_000;
    await probeParkedJobs(context());
    expect(await probing([job])).toEqual([job.id]);
  });
});
