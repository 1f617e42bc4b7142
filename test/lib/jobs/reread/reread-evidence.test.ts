import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { followUpId, jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { liveChunkKey } from '../../../../lib/jobs/output/output-keys.ts';
import type { Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { rereadJob } from '../../../../lib/jobs/reread/reread-job.ts';
import { s3OutputObjects } from '../../../../worker-container/output/output-objects.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aReceipt, aRunningJob } from '../a-job.ts';
import { leaveSuccess, outputAskingFor, storeSucceeded } from '../succeeded-parent.ts';

/** What rereading believes: the output as it is, the receipt where only the worker can know, the job where nothing else is left. */
let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
  await deployment.profiles.put({ name: 'practice', agent: 'codex', vendor: 'practice' });
  await deployment.profiles.put({ name: 'shell', agent: 'shell', follow_ups: 'on' });
});
afterAll(async () => await deployment.stop());

const id = (name: string) => jobIdOfKey(`reread evidence ${name}`);
const ended = async (name: string, more: Partial<Job>) =>
  await deployment.store(
    aRunningJob({
      id: id(name),
      profile: 'shell',
      lease_until: undefined,
      status: 'FAILED',
      reason: 'exited',
      ...more,
    }),
  );

async function leave(job: Job, output: { stdout?: string; stderr?: string }, receipt?: Receipt): Promise<void> {
  const objects = s3OutputObjects(deployment.objects, deployment.env.OUTPUT_BUCKET);
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = output[stream];
    if (text === undefined) continue;
    const key = liveChunkKey(job.id, receipt?.attempt ?? job.attempt, stream, 0);
    await objects.put(key, Buffer.from(text), new AbortController().signal);
  }
  if (receipt !== undefined) await deployment.output.putReceipt({ ...receipt, job_id: job.id });
}

it("an agent's error is derived again from its whole output; an error of the service stays", async () => {
  const said = { stdout: '', stderr: 'ERROR: the model is gone\n' };
  const failed = { kind: 'failed', exit_code: 1, error: 'cut off' } as const;
  const agents = await ended('agents error', { reason: 'agent_error', error: 'cut off' });
  await leave(agents, said, aReceipt({ ...failed, reason: 'agent_error' }, { agent: 'codex' }));
  expect((await rereadJob(deployment, agents)).job.error).toBe('the model is gone');
  const ours = await ended('our error', { reason: 'timed_out', error: 'cut off' });
  await leave(ours, said, aReceipt({ ...failed, reason: 'timed_out' }, { agent: 'codex' }));
  expect((await rereadJob(deployment, ours)).job.error).toBe('cut off');
});

it('output that is shorter than it was is not complete', async () => {
  const job = await ended('shorter', {});
  const had = { bytes: 9, lines: 1, sha256: '', complete: true };
  const receipt = aReceipt({ kind: 'failed', reason: 'exited' }, { streams: { stdout: had, stderr: had } });
  await leave(job, { stdout: '12345678', stderr: '123456789' }, receipt);
  await rereadJob(deployment, job);
  expect((await deployment.output.readReceipt(job.id, 1))?.streams).toMatchObject({
    stdout: { bytes: 9, complete: false },
    stderr: { bytes: 9, complete: true },
  });
});

it('an attempt without a record, of a deleted profile, has the size of its output', async () => {
  const job = await ended('bare', { profile: 'no-such-profile', exit_code: 7, stdout_bytes: 2, stderr_bytes: 0 });
  await leave(job, { stdout: 'abc' });
  expect((await rereadJob(deployment, job)).job).toMatchObject({ stdout_bytes: 3, stderr_bytes: 0, exit_code: 7 });
});

it('a cancelled attempt without a record does not change, however often it is reread', async () => {
  const job = await ended('unrecorded', { status: 'CANCELLED', reason: 'cancelled_by_request' });
  await leave(job, { stdout: 'abc' });
  const { job: once } = await rereadJob(deployment, job);
  const { job: twice, refreshed } = await rereadJob(deployment, once);
  expect(twice).toEqual(once);
  expect(refreshed).toEqual([]);
});

it('what a worker reports after it was given up is no evidence, also if an earlier version noted only the reason', async () => {
  const recorded: [string, Partial<Job>][] = [
    ['given up', { status: 'CANCELLED', reason: 'cancelled_by_request', lost_attempts: [1] }],
    ['given up long ago', { reason: 'worker_lost' }],
  ];
  for (const [name, record] of recorded) {
    const job = await ended(name, record);
    await leave(job, {}, aReceipt({ kind: 'failed', reason: 'exited', exit_code: 3 }, { agent: 'shell' }));
    expect((await rereadJob(deployment, job)).job.exit_code, name).toBeUndefined();
  }
});

it('a success whose record is lost stays a success, and keeps its follow-up jobs', async () => {
  const job = await ended('lost record', {
    ...{ status: 'SUCCEEDED', follow_ups: ['1.0'], stdout_bytes: 0, stderr_bytes: 0 },
  });
  const { job: after } = await rereadJob(deployment, job);
  expect(after).toMatchObject({ status: 'SUCCEEDED', stdout_bytes: 0, follow_ups: ['1.0'] });
});

it('what the worker noted is kept', async () => {
  const job = await ended('noted', { attempt_warnings: ['a file was left out'] });
  const receipt = aReceipt({ kind: 'failed', reason: 'exited' }, { warnings: ['a file was left out'], model: 'm-2' });
  await leave(job, {}, receipt);
  expect((await rereadJob(deployment, job)).job).toMatchObject({
    attempt_warnings: ['a file was left out'],
    model_used: 'm-2',
  });
});

it('earlier attempts of a job that runs are read, the one that runs is not; and none is ended without a record', async () => {
  const lease_until = new Date(deployment.clock.now() + 600_000).toISOString();
  const job = await deployment.store(aRunningJob({ id: id('runs again'), profile: 'shell', attempt: 2, lease_until }));
  for (const attempt of [1, 2])
    await leave(job, { stdout: 'abc' }, aReceipt({ kind: 'failed', reason: 'exited' }, { attempt }));
  const { refreshed } = await rereadJob(deployment, job);
  expect(refreshed).toEqual(['attempt 1: streams']);
  const lost = await deployment.store(aRunningJob({ id: id('lost'), profile: 'shell' }));
  expect((await rereadJob(deployment, lost)).job).toEqual(lost);
});

it('follow-up jobs that only rereading finds are created', async () => {
  const job = await ended('found late', { status: 'SUCCEEDED' });
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { agent: 'shell' });
  await leave(job, { stdout: outputAskingFor([{ prompt: 'a' }]) }, receipt);
  const { recoveredFollowUpIds } = await rereadJob(deployment, job);
  expect(recoveredFollowUpIds).toEqual([followUpId(job.id, 1, 0)]);
});

it('those of an applied earlier success are created, those of a rejected one are not', async () => {
  const counted = await storeSucceeded(deployment, { id: id('counted') }, outputAskingFor([{ prompt: 'a' }]));
  const failedLater = { ...counted, status: 'FAILED', attempt: 2 } as const;
  const applied = await deployment.jobs.apply(counted, failedLater);
  if (!applied.applied) throw new Error('not applied');
  expect((await rereadJob(deployment, applied.job)).recoveredFollowUpIds).toEqual([followUpId(counted.id, 1, 0)]);

  const succeededLater = await ended('refused', { status: 'SUCCEEDED', attempt: 2 });
  await leaveSuccess(deployment, { ...succeededLater, attempt: 1 }, outputAskingFor([{ prompt: 'late' }]));
  await leave(succeededLater, {}, aReceipt({ kind: 'succeeded', reason: 'exited' }, { attempt: 2, agent: 'shell' }));
  expect((await rereadJob(deployment, succeededLater)).recoveredFollowUpIds).toEqual([]);
});

it('output that is longer than its record, or has a gap, is reported once', async () => {
  const hashed = { bytes: 3, lines: 1, sha256: 'ba7816bf', complete: true };
  const longer = await ended('longer', {});
  const receipt = aReceipt({ kind: 'failed', reason: 'exited' }, { streams: { stdout: hashed, stderr: hashed } });
  await leave(longer, { stdout: 'abcd', stderr: 'ab' }, receipt);
  const warnings = [
    'stdout: the kept output is not what was recorded: its hash differs',
    'stderr: 2 of 3 recorded bytes are kept',
  ];
  expect((await rereadJob(deployment, longer)).job).toMatchObject({ stdout_bytes: 3, attempt_warnings: warnings });

  const cut = await ended('cut', { reason: 'worker_lost' });
  const objects = s3OutputObjects(deployment.objects, deployment.env.OUTPUT_BUCKET);
  const { signal } = new AbortController();
  for (const offset of [0, 8])
    await objects.put(liveChunkKey(cut.id, 1, 'stdout', offset), Buffer.from('abcd'), signal);
  const { job } = await rereadJob(deployment, cut);
  expect(job.attempt_warnings).toEqual(['stdout: what came after byte 4 is not kept']);
  expect((await rereadJob(deployment, job)).refreshed).toEqual([]);
});
