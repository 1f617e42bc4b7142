import { createHash } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import { jobIdOf } from '../../../../lib/jobs/lifecycle/cause.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { liveChunkKey } from '../../../../lib/jobs/output/output-keys.ts';
import { rereadJob } from '../../../../lib/jobs/reread/reread-job.ts';
import { s3OutputObjects } from '../../../../worker-container/output/output-objects.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aReceipt, aRunningJob } from '../a-job.ts';
import { leaveSuccess, outputAskingFor, storeSucceeded } from '../succeeded-parent.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
  await deployment.profiles.put({ name: 'practice', agent: 'codex', vendor: 'practice' });
  await deployment.profiles.put({ name: 'shell', agent: 'shell', follow_ups: 'on' });
});
afterAll(async () => await deployment.stop());

const id = (name: string) => jobIdOfKey(`reread test ${name}`);
const stored = async (jobId: string) => await deployment.jobs.get(jobId, { consistent: true });

async function putOutput(job: Pick<Job, 'id'>, attempt: number, stream: 'stdout' | 'stderr', text: string) {
  const objects = s3OutputObjects(deployment.objects, deployment.env.OUTPUT_BUCKET);
  await objects.put(liveChunkKey(job.id, attempt, stream, 0), Buffer.from(text), new AbortController().signal);
}

const EVENTS = [
  { type: 'thread.started', thread_id: 'thread-1' },
  { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'the last word' } },
  {
    type: 'turn.completed',
    usage: { input_tokens: 5, cached_input_tokens: 4, output_tokens: 3, reasoning_output_tokens: 2 },
  },
];
const CODEX_OUTPUT = EVENTS.map((event) => `${JSON.stringify(event)}\n`).join('');

/** Rereads, and then once more, which must change nothing. */
async function rereadTwice(job: Job) {
  const once = await rereadJob(deployment, job);
  const again = await rereadJob(deployment, once.job);
  expect(again).toEqual({ job: once.job, refreshed: [], recoveredFollowUpIds: [] });
  expect(await stored(job.id)).toEqual(once.job);
  return once;
}

describe('rereading', () => {
  it('corrects the figures of a job and of the record of its attempt', async () => {
    const running = await deployment.store(aRunningJob({ id: id('figures') }));
    await putOutput(running, 1, 'stdout', CODEX_OUTPUT);
    await putOutput(running, 1, 'stderr', 'a\nb');
    await deployment.output.putReceipt(
      aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: running.id, agent: 'codex', session_id: 'wrong' }),
    );
    const receipt = await deployment.output.readReceipt(running.id, 1);
    if (receipt === undefined) throw new Error('there is no receipt');
    const ended = await transition(deployment, running, { type: 'end', receipt });
    if (!ended.done) throw new Error(ended.rejected);
    const { job, refreshed } = await rereadTwice(ended.job);
    expect(job).toMatchObject({
      status: 'SUCCEEDED',
      session_id: 'thread-1',
      usage: { input_tokens: 5 },
      stdout_bytes: CODEX_OUTPUT.length,
      stderr_bytes: 3,
    });
    expect([...refreshed].sort()).toEqual(
      [
        'attempt 1: final_message',
        'attempt 1: session_id',
        'attempt 1: streams',
        'attempt 1: usage',
        'session_id',
        'stderr_bytes',
        'stdout_bytes',
        'usage',
      ].sort(),
    );
    expect(await deployment.output.readReceipt(running.id, 1)).toMatchObject({
      final_message: 'the last word',
      streams: {
        stdout: {
          bytes: CODEX_OUTPUT.length,
          lines: 3,
          sha256: createHash('sha256').update(CODEX_OUTPUT).digest('hex'),
        },
        stderr: { bytes: 3, lines: 2 },
      },
    });
  });

  it('creates missing follow-up jobs, also those that were never created', async () => {
    const parent = await storeSucceeded(
      deployment,
      { id: id('missing') },
      outputAskingFor([{ prompt: 'a' }, { prompt: 'b' }]),
    );
    const never = await rereadTwice(parent);
    const ids = [
      jobIdOf({ kind: 'follow_up', job: parent.id, attempt: 1, position: 0 }),
      jobIdOf({ kind: 'follow_up', job: parent.id, attempt: 1, position: 1 }),
    ];
    expect(never.recoveredFollowUpIds).toEqual(ids);
    expect(never.refreshed).toContain('follow_up_ids');
    const Key = { id: ids[1] };
    await deployment.table.send(new DeleteCommand({ TableName: deployment.env.JOBS_TABLE, Key }));
    const missing = await rereadTwice(never.job);
    expect(missing.recoveredFollowUpIds).toEqual([ids[1]]);
    expect(await stored(ids[1] ?? '')).toMatchObject({ status: 'QUEUED', ancestors: [{ id: parent.id, round: 0 }] });
  });

  it('applies what a lost worker left, but not before its lease expires', async () => {
    const over = await deployment.store(aRunningJob({ id: id('lost'), profile: 'shell' }));
    await leaveSuccess(deployment, over, outputAskingFor([{ prompt: 'a' }]));
    const { job, refreshed, recoveredFollowUpIds } = await rereadTwice(over);
    expect(job).toMatchObject({ status: 'SUCCEEDED', follow_ups: ['1.0'] });
    expect(refreshed).toContain('status');
    expect(recoveredFollowUpIds).toEqual([jobIdOf({ kind: 'follow_up', job: over.id, attempt: 1, position: 0 })]);
    const lease_until = new Date(deployment.clock.now() + 600_000).toISOString();
    const held = await deployment.store(aRunningJob({ id: id('held'), profile: 'shell', lease_until }));
    await leaveSuccess(deployment, held, outputAskingFor([{ prompt: 'a' }]));
    expect(await rereadTwice(held)).toEqual({ job: held, refreshed: [], recoveredFollowUpIds: [] });
  });

  it('takes no usage from the output of a lost attempt: a later attempt reports it', async () => {
    const used = { input_tokens: 70, cached_input_tokens: 0, output_tokens: 7, reasoning_output_tokens: 0 };
    for (const usage of [used, undefined]) {
      const name = `lost usage ${usage?.input_tokens}`;
      const running = await deployment.store(
        aRunningJob({ id: id(name), attempt: 2, losses: 3, profile: 'practice', ...(usage && { usage }) }),
      );
      await putOutput(running, 2, 'stdout', CODEX_OUTPUT);
      const lost = await transition(deployment, running, { type: 'lose' });
      if (!lost.done) throw new Error(lost.rejected);
      const { job } = await rereadTwice(lost.job);
      expect({ usage: job.usage, session: job.session_id }).toEqual({ usage, session: 'thread-1' });
    }
    const busy = { reason: 'folder_busy', parked: 'folder_busy', folder: 'f' } as const;
    const waiting = await deployment.store({ id: id('lost, waits'), attempt: 1, profile: 'practice', ...busy });
    await putOutput(waiting, 1, 'stdout', CODEX_OUTPUT);
    expect((await rereadTwice(waiting)).job).not.toHaveProperty('usage');
  });

  it('takes usage from output without a record only if none is known, and bounds it', async () => {
    const known = { input_tokens: 70, cached_input_tokens: 0, output_tokens: 7, reasoning_output_tokens: 0 };
    const usage = { input_tokens: 1e300, cached_input_tokens: 4, output_tokens: 1e-200, reasoning_output_tokens: 2 };
    const output = `${JSON.stringify({ type: 'turn.completed', usage })}\n`;
    const bounded = { ...usage, input_tokens: 1e12, output_tokens: 0 };
    for (const [before, after] of [
      [known, known],
      [undefined, bounded],
    ] as const) {
      const failed = await deployment.store({
        id: id(`usage without record ${before?.input_tokens}`),
        ...{ status: 'FAILED', reason: 'agent_error', attempt: 1, profile: 'practice' },
        ...(before && { usage: before }),
      });
      await putOutput(failed, 1, 'stdout', output);
      expect((await rereadTwice(failed)).job.usage).toEqual(after);
    }
  });

  it('changes nothing of a job that no attempt has touched', async () => {
    const job = await deployment.store({ id: id('untouched') });
    expect(indexKeys(job)).toHaveProperty('ready_key');
    expect(await rereadTwice(job)).toEqual({ job, refreshed: [], recoveredFollowUpIds: [] });
  });
});
