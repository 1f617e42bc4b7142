import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { followUpId, jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { NewerSchemaError } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { liveChunkKey, receiptKey } from '../../../../lib/jobs/output/output-keys.ts';
import type { Outcome, Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { rereadAttempt } from '../../../../lib/jobs/reread/reread-attempt.ts';
import { rereadJob } from '../../../../lib/jobs/reread/reread-job.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aReceipt } from '../a-job.ts';
import { outputAskingFor } from '../succeeded-parent.ts';

const ID = jobIdOfKey('reread attempt');
const USED = { input_tokens: 5, cached_input_tokens: 4, output_tokens: 3, reasoning_output_tokens: 2 };
const UNREADABLE = JSON.stringify({ worker_id: 'worker-1', outcome: { kind: 'failed' } });
const CODEX = [
  { type: 'thread.started', thread_id: 'thread-1' },
  { type: 'turn.completed', usage: USED },
];

let deployment: QuietDeployment;
beforeEach(async () => {
  deployment = quietDeployment();
  await deployment.profiles.put({ name: 'practice', agent: 'codex' });
  await deployment.profiles.put({ name: 'shell', agent: 'shell', follow_ups: 'on' });
});

const put = async (Key: string, Body: string) =>
  await deployment.objects.send(new PutObjectCommand({ Bucket: deployment.env.OUTPUT_BUCKET, Key, Body }));
const leaveOutput = async (stdout: string, stderr = '', attempt = 1) => {
  await put(liveChunkKey(ID, attempt, 'stdout', 0), stdout);
  if (stderr !== '') await put(liveChunkKey(ID, attempt, 'stderr', 0), stderr);
};
const leaveReceipt = async (outcome: Partial<Outcome>, more: Partial<Receipt> = {}) => {
  const receipt = aReceipt({ kind: 'failed', reason: 'exited', ...outcome }, { job_id: ID, agent: 'codex', ...more });
  await deployment.output.putReceipt(receipt);
  return receipt;
};
const lines = (events: readonly object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const ended = async (more: Partial<Job> = {}) =>
  await deployment.store({ id: ID, status: 'FAILED', reason: 'exited', attempt: 1, agent: 'codex', ...more });

describe('the record of an attempt', () => {
  const reread = async (agent?: string) =>
    await rereadAttempt(deployment.output, { jobId: ID, attempt: 1 }, agent, 'on');

  it('keeps what can no longer be read', async () => {
    await leaveOutput('no line of the agent\n');
    const known = { usage: USED, session_id: 'thread-0', model: 'large', final_message: 'done' };
    await leaveReceipt({ reason: 'agent_error', error: 'the model is gone', exit_code: 0 }, known);
    const { receipt, changed } = await reread();
    expect(receipt).toMatchObject({ ...known, outcome: { error: 'the model is gone' } });
    expect(changed).toEqual(['streams']);
    expect((await reread()).changed).toEqual([]);
  });

  it('has the requests of its output, up to the last line', async () => {
    await leaveOutput(outputAskingFor([{ prompt: 'a' }]).trimEnd());
    await leaveReceipt({}, { agent: 'shell' });
    expect((await reread()).receipt?.follow_ups?.blocks).toEqual([{ position: 0, body: '{"prompt":"a"}\n' }]);
  });

  it('keeps the usage that its session has told', async () => {
    await leaveOutput(lines(CODEX));
    const usage = { ...USED, input_tokens: 1 };
    await leaveReceipt({}, { usage, usage_from: 'session' });
    expect((await reread()).receipt).toMatchObject({ usage, session_id: 'thread-1' });
  });

  it('is not written if nothing of it was wrong', async () => {
    await leaveOutput(lines(CODEX));
    await leaveReceipt({});
    await reread();
    deployment.calls.length = 0;
    expect((await reread()).changed).toEqual([]);
    expect(deployment.calls.filter((call) => call instanceof PutObjectCommand)).toEqual([]);
  });

  it('is missing or unreadable, and the output is read all the same, if its agent is known', async () => {
    await leaveOutput(lines(CODEX), 'ab');
    const read = { receipt: undefined, changed: [], receiptState: 'missing' };
    const streams = { stdout: { bytes: lines(CODEX).length, lines: 2 }, stderr: { bytes: 2, lines: 1 } };
    expect(await reread('codex')).toMatchObject({ ...read, streams, facts: { sessionId: 'thread-1', usage: USED } });
    for (const agent of ['later', undefined])
      expect(await reread(agent)).toMatchObject({ ...read, streams, facts: { finished: false } });
    await put(receiptKey(ID, 1), UNREADABLE);
    expect(await reread('codex')).toMatchObject({ ...read, receiptState: 'corrupt', facts: { sessionId: 'thread-1' } });
  });

  it('keeps the size of output that has lost its end, and takes that of output which has more', async () => {
    const had = { bytes: 4, lines: 1, sha256: '', complete: true };
    await leaveOutput('abcde', 'ab');
    await leaveReceipt({}, { streams: { stdout: had, stderr: had } });
    const { receipt } = await reread();
    expect(receipt).toMatchObject({
      streams: { stdout: { bytes: 5, complete: true }, stderr: { bytes: 4, complete: false } },
      warnings: ['stderr: 2 of 4 recorded bytes are kept'],
    });
    expect(receipt?.streams.stdout.sha256).not.toBe('');
  });

  it('keeps all that was read while output that is damaged now was intact', async () => {
    await leaveOutput(lines(CODEX));
    const had = { bytes: 4, lines: 1, sha256: 'abcd', complete: true };
    const intact = { ...had, bytes: 0, lines: 0, sha256: '' };
    await leaveReceipt({}, { session_id: 'thread-0', streams: { stdout: had, stderr: intact }, warnings: ['noted'] });
    expect((await reread()).receipt).toMatchObject({
      session_id: 'thread-0',
      streams: { stdout: { ...had, complete: false } },
      warnings: ['stdout: the kept output is not what was recorded: its hash differs', 'noted'],
    });
  });
});

describe('a job that is reread', () => {
  it('is none that only a later version may change', async () => {
    const job = await ended({ status: 'QUEUED', reason: 'stars' as Job['reason'] });
    await expect(rereadJob(deployment, job)).rejects.toThrow(NewerSchemaError);
  });

  it.each<[what: string, receipt: string | undefined, more: Partial<Job>, warnings: string[] | undefined]>([
    ['unreadable', UNREADABLE, {}, ['the record of the newest attempt is unreadable']],
    ['gone', undefined, { stdout_bytes: 3, stderr_bytes: 0 }, ['the record of the newest attempt is gone']],
    ['one that there never was', undefined, {}, undefined],
    ['that of a lost worker', undefined, { reason: 'worker_lost' }, undefined],
  ])('says if its record is %s', async (_, receipt, more, warnings) => {
    await leaveOutput('abc');
    if (receipt !== undefined) await put(receiptKey(ID, 1), receipt);
    const { job } = await rereadJob(deployment, await ended(more));
    expect(job.attempt_warnings).toEqual(warnings);
  });

  it('says what is missing of recorded output, and keeps its size', async () => {
    await leaveOutput('abc');
    const { job } = await rereadJob(deployment, await ended({ stdout_bytes: 5, stderr_bytes: 0 }));
    expect(job).toMatchObject({
      stdout_bytes: 5,
      attempt_warnings: ['the record of the newest attempt is gone', 'stdout: 3 of 5 recorded bytes are kept'],
    });
  });

  it.each<[sizes: object, what: string, more: Partial<Job>]>([
    [{ stdout_bytes: 3, stderr_bytes: 0 }, 'whose worker was lost', { reason: 'worker_lost' }],
    [{ stdout_bytes: 3, stderr_bytes: 1 }, 'whose record is gone', { stdout_bytes: 2, stderr_bytes: 1 }],
    [{}, 'that never had a record', {}],
  ])('has the sizes %o, if it is one %s', async (sizes, _, more) => {
    await leaveOutput('abc');
    const { job } = await rereadJob(deployment, await ended(more));
    const { stdout_bytes, stderr_bytes } = job;
    expect({ stdout_bytes, stderr_bytes }).toEqual({ stdout_bytes: undefined, stderr_bytes: undefined, ...sizes });
  });

  it.each<[usage: object | undefined, what: string, more: Partial<Job>]>([
    [USED, 'has ended', {}],
    [undefined, 'waits for its next attempt', { status: 'QUEUED', reason: 'waiting_for_worker' }],
    [undefined, 'was lost', { lost_attempts: [1] }],
    [undefined, 'was lost, as an earlier version recorded it', { reason: 'worker_lost' }],
    [{ ...USED, input_tokens: 70 }, 'has a known usage', { usage: { ...USED, input_tokens: 70 } }],
  ])('has the usage %o of output without a record, if it %s', async (usage, _, more) => {
    await leaveOutput(lines(CODEX));
    expect((await rereadJob(deployment, await ended(more))).job.usage).toEqual(usage);
  });

  it('has what its late record says only if its attempt was not lost', async () => {
    await leaveReceipt({ exit_code: 3 });
    expect((await rereadJob(deployment, await ended())).job.exit_code).toBe(3);
    const lost = await deployment.read({ id: ID });
    if (lost === undefined) throw new Error('the job is gone');
    await deployment.jobs.apply(lost, { ...lost, exit_code: undefined, lost_attempts: [1] });
    const { job } = await rereadJob(deployment, (await deployment.read({ id: ID })) ?? lost);
    expect(job).not.toHaveProperty('exit_code');
  });

  it.each<[made: boolean, what: string, more: Partial<Job>, attempt: number]>([
    [true, 'succeeded', { status: 'SUCCEEDED' }, 1],
    [false, 'failed', {}, 1],
    [false, 'is followed by one that succeeded', { status: 'SUCCEEDED', attempt: 2 }, 1],
    [true, 'succeeded before one that failed, and was applied', { attempt: 2, children_pending: [1] }, 1],
    [true, 'has some of its follow-up jobs already', { attempt: 2, follow_ups: ['1.0'] }, 1],
    [false, 'is not the one that has some', { attempt: 2, follow_ups: ['3.0'] }, 1],
  ])('gets the follow-up jobs of an attempt: %s, if that %s', async (made, _, more, attempt) => {
    const stdout = outputAskingFor([{ prompt: 'a' }]);
    await leaveOutput(stdout, '', attempt);
    await leaveReceipt({ kind: 'succeeded' }, { attempt, agent: 'shell' });
    const job = await ended({ profile: 'shell', agent: 'shell', ...more });
    const { recoveredFollowUpIds, refreshed } = await rereadJob(deployment, job);
    const child = followUpId(ID, attempt, 0);
    expect(recoveredFollowUpIds).toEqual(made ? [child] : []);
    expect((await deployment.read({ id: child })) !== undefined).toBe(made);
    expect(refreshed.includes('follow_up_ids')).toBe(made && more.follow_ups === undefined);
  });
});
