import { type DynamoDBDocumentClient, PutCommand, type UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { probeParkedJobs, releaseParked } from '../../../../lib/jobs/admission/vendor-gate.ts';
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
const TRIES = { job_id: id(1), attempt: 2, profile: 'practice', tried: [] };
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
  await deployment.probes.replace(REASON, undefined, {
    ...TRIES,
    since: timestamp(now - 1),
    next_at: timestamp(now - 1),
  });
  await probeParkedJobs(deployment);
  const after = await Promise.all(others.map(async (job) => await deployment.read(job)));
  const wanted = { nobody: 0, 'the next': 1, all: 2 }[released];
  expect(after.filter((job) => job?.parked === undefined)).toHaveLength(wanted);
  expect(after.filter((job) => job?.probing === REASON)).toHaveLength(wanted === 1 ? 1 : 0);
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

it('what a probing job does after it was cancelled and retried is no result', async () => {
  const deployment = quietDeployment();
  const [tries, other] = [await parked(deployment, 1), await parked(deployment, 2)];
  await probeParkedJobs(deployment);
  const { probing: _probing, ...rest } = (await deployment.read(tries)) as Job;
  const again: Job = { ...rest, attempt: 1, parked: REASON, reason: REASON, due_at: '2026-11-27T00:00:00.000Z' };
  await deployment.jobs.apply((await deployment.read(tries)) as Job, again);
  for (const event of [{ type: 'cancel' }, { type: 'retry' }] as const)
    await transition(deployment, (await deployment.read(tries)) as Job, event);
  await probeParkedJobs(deployment);
  expect(await deployment.read(other)).toMatchObject({ parked: REASON });
  await deployment.pass(600_000);
  await probeParkedJobs(deployment);
  expect(await deployment.read(other)).toMatchObject({ probing: REASON });
});

it('the result of a probe whose record an account link deleted leaves the record of the next probe', async () => {
  const deployment = quietDeployment();
  const [first] = [await parked(deployment, 1), await parked(deployment, 2)];
  await probeParkedJobs(deployment);
  const known = await deployment.probes.read(REASON);
  if (known !== undefined) await deployment.probes.forget(REASON, known);
  await probeParkedJobs(deployment);
  const one = (await deployment.read(first)) as Job;
  const { probing: _probing, ...ended } = one;
  await releaseParked(deployment, one, { ...ended, status: 'SUCCEEDED' });
  const late = await parked(deployment, 3);
  await deployment.pass(600_000);
  await probeParkedJobs(deployment);
  expect(await deployment.read(late)).toMatchObject({ parked: REASON });
});

it('a start of a probe that was applied without an answer is not repeated once the probe has ended', async () => {
  const deployment = quietDeployment();
  const job = await parked(deployment, 2);
  let isRepeated = false;
  const send = async (command: UpdateCommand) => {
    if (isRepeated) return await deployment.table.send(command);
    isRepeated = true;
    await deployment.table.send(command);
    const { probing: _probing, ...ended } = (await deployment.read(job)) as Job;
    const again: Job = { ...ended, attempt: 1, parked: REASON, reason: REASON };
    await deployment.jobs.apply((await deployment.read(job)) as Job, again);
    return await deployment.table.send(command);
  };
  const jobs = new JobStore({ send } as unknown as DynamoDBDocumentClient, deployment.env.JOBS_TABLE);
  const get = deployment.jobs.get.bind(deployment.jobs);
  await probeParkedJobs({ ...deployment, jobs: Object.assign(jobs, { get }) });
  expect(await deployment.read(job)).toMatchObject({ attempt: 1, parked: REASON });
});

it('a reconciler that read a job just before it probes starts no second probe, however late', async () => {
  const deployment = quietDeployment();
  const [job, other] = [await parked(deployment, 1), await parked(deployment, 2)];
  const next_at = timestamp(deployment.clock.now() + 300_000);
  const probe = { ...TRIES, attempt: 1, since: timestamp(deployment.clock.now()), next_at };
  await deployment.probes.replace(REASON, undefined, probe);
  const find: typeof deployment.jobs.find = async (jobId) => {
    const read = await deployment.jobs.find(jobId);
    await transition(deployment, job, { type: 'unpark', reason: REASON, probe: true });
    await deployment.pass(600_000);
    return read;
  };
  const jobs = Object.assign(new JobStore(deployment.table, deployment.env.JOBS_TABLE), { find });
  await probeParkedJobs({ ...deployment, jobs });
  expect(await deployment.read(job)).toMatchObject({ probing: REASON });
  expect(await deployment.read(other)).toMatchObject({ parked: REASON });
});
