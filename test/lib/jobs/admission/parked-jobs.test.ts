import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { probeParkedJobs, releaseParked, unparkAll } from '../../../../lib/jobs/admission/parked-jobs.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { parkedKey } from '../../../../lib/jobs/indexes/ready-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import type { ParkReason } from '../../../../lib/jobs/lifecycle/parking.ts';
import type { Outcome } from '../../../../lib/jobs/receipts/receipt.ts';
import { JobStore } from '../../../../lib/jobs/store/job-store.ts';
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

  it('all start at the next reconciler run if the worker of a successful probe died before it started them', async () => {
    const jobs = [await park('d', 'account_required'), await park('e', 'account_required')];
    now += 61_000;
    await probeParkedJobs(context());
    const attempt = await claimed({ id: (await probing(jobs))[0] ?? '' });
    await ended(attempt, { kind: 'succeeded', reason: 'exited', exit_code: 0 });
    await probeParkedJobs(context());
    expect((await Promise.all(jobs.map(stored))).map((job) => job?.parked)).toEqual([undefined, undefined]);
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

  it.each(['while it tried', 'when it waited again'])('a probe that is cancelled %s is inconclusive', async (when) => {
    const jobs = [await park(`cancelled ${when}`, 'account_required'), await park(`waits ${when}`, 'account_required')];
    now += 61_000;
    await probeParkedJobs(context());
    const attempt = await claimed(jobs[0] as Job);
    const outcome = { kind: when === 'while it tried' ? 'cancelled' : 'parked', reason: 'account_required' } as const;
    const after = await ended(attempt, outcome);
    await releaseParked(context(), attempt, after);
    await transition(context(), after, { type: 'cancel' });
    expect((await stored(attempt))?.status).toBe('CANCELLED');
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([]);
    expect(await stored(jobs[1] as Job)).toMatchObject({ parked: 'account_required' });
    now += 61_000;
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([jobs[1]?.id]);
  });

  it('the probing job stays the probe when its worker releases it or is lost', async () => {
    const jobs = [await park('h', 'account_required'), await park('i', 'account_required')];
    now += 61_000;
    await probeParkedJobs(context());
    const attempt = await claimed({ id: (await probing(jobs))[0] ?? '' });
    const back = await ended(attempt, { kind: 'handed_back', reason: 'waiting_for_worker' });
    await releaseParked(context(), attempt, back);
    const again = await claimed(back);
    now += 31_000;
    const lost = await transition(context(), again, { type: 'lose' });
    if (lost.done) await releaseParked(context(), again, lost.job);
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([jobs[0]?.id]);
    expect(await stored({ id: jobs[1]?.id ?? '' })).toMatchObject({ parked: 'account_required' });
  });

  it('the others wait while a probe runs that had to wait for its folder first', async () => {
    const jobs = [await park('in its folder', 'account_required'), await park('another', 'account_required')];
    now += 61_000;
    await probeParkedJobs(context());
    const tries = await stored(jobs[0] as Job);
    if (tries === undefined) throw new Error('gone');
    const waits = await transition(context(), tries, { type: 'wait_for_folder', folder: 'a folder' });
    await transition(context(), waits.job ?? tries, { type: 'unpark', reason: 'folder_busy' });
    const attempt = await claimed(tries);
    now += 61_000;
    await probeParkedJobs(context());
    expect((await stored(jobs[1] as Job))?.parked).toBe('account_required');
    await ended(attempt, { kind: 'succeeded', reason: 'exited', exit_code: 0 });
    await probeParkedJobs(context());
    expect((await stored(jobs[1] as Job))?.parked).toBeUndefined();
  });

  it('exactly one job probes, however many reconcilers run at once', async () => {
    const jobs = [await park('j', 'account_required'), await park('k', 'account_required')];
    now += 61_000;
    await Promise.all(Array.from({ length: 6 }, () => probeParkedJobs(context())));
    expect(await probing(jobs)).toHaveLength(1);
  });

  it('exactly one job probes, also if the reconcilers see different jobs first', async () => {
    const [first, second] = [await park('o', 'account_required'), await park('p', 'account_required')];
    now += 61_000;
    const seeing = (...jobs: Job[]) => ({
      ...context(),
      async *partition(key: string) {
        if (key === parkedKey('account_required')) yield* jobs;
      },
    });
    await Promise.all([probeParkedJobs(seeing(first, second)), probeParkedJobs(seeing(second, first))]);
    expect(await probing([first, second])).toHaveLength(1);
  });

  it("no second job probes because of a reconciler's stale read of the first", async () => {
    const [first, second] = [await park('u', 'account_required'), await park('v', 'account_required')];
    now += 61_000;
    const reason = 'account_required';
    const next_at = timestamp(now + 60_000);
    await deployment.probes.replace(reason, undefined, { job_id: first.id, attempt: first.attempt + 1, next_at });
    class SlowStore extends JobStore {
      override async get(jobId: string, options: { consistent: boolean }) {
        const seen = await deployment.jobs.get(jobId, options);
        if (jobId === first.id) await transition(context(), first, { type: 'unpark', reason, probe: true });
        now += 61_000;
        return seen;
      }
    }
    const jobs = new SlowStore(deployment.table, deployment.env.JOBS_TABLE);
    await probeParkedJobs({ ...context(), jobs });
    expect(await probing([first, second])).toEqual([first.id]);
  });

  it('no second job probes within the minute, however long it has waited', async () => {
    const jobs = [await park('q', 'account_required'), await park('r', 'account_required')];
    now += 61_000;
    await probeParkedJobs(context());
    const [tries = ''] = await probing(jobs);
    await ended(await claimed({ id: tries }), { kind: 'parked', reason: 'account_required' });
    now += 59_000;
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([]);
    now += 2_000;
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual(jobs.map(({ id: jobId }) => jobId).filter((jobId) => jobId !== tries));
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

  it('a probe for its own account continues when the account of another vendor is linked', async () => {
    const jobs = [
      await park('claude tries', 'account_required', { profile: 'claude' }),
      await park('claude waits', 'account_required', { profile: 'claude' }),
      await park('codex waits', 'account_required'),
    ];
    now += 61_000;
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([jobs[0]?.id]);
    await unparkAll(context(), 'account_required', async ({ profile }) => profile === 'codex');
    now += 61_000;
    await probeParkedJobs(context());
    expect(await probing(jobs)).toEqual([jobs[0]?.id]);
    expect(await parkedOf(jobs)).toEqual([undefined, 'account_required', undefined]);
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

  it('do not wait for jobs that wait for the account', async () => {
    const jobs = [await park('own limit', 'usage_limit'), await park('own account', 'account_required')];
    now += 301_000;
    await probeParkedJobs(context());
    expect(await probing(jobs)).toHaveLength(2);
  });
});

it('a parked job shows the time of the next check, which is never before the next probe', async () => {
  const jobs = [await park('said 1', 'account_required'), await park('said 2', 'account_required')];
  now += 61_000;
  await probeParkedJobs(context());
  const waiting = await stored({ id: jobs[1]?.id ?? '' });
  const [dated] = waiting === undefined ? [] : await deployment.probes.dated([waiting]);
  expect(dated?.due_at).toBe(timestamp(now + 60_000));
  const trying = await stored({ id: jobs[0]?.id ?? '' });
  expect(trying !== undefined && isDeepStrictEqual(await deployment.probes.dated([trying]), [trying])).toBe(true);
});
