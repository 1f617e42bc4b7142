import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { liveChunkKey } from '../../../../lib/jobs/output/output-keys.ts';
import type { Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { rereadJob } from '../../../../lib/jobs/reread/reread-job.ts';
import { s3OutputObjects } from '../../../../worker-container/output/output-objects.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aReceipt, aRunningJob } from '../a-job.ts';

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

it('what a worker reports after it was given up is no evidence', async () => {
  const job = await ended('given up', { status: 'CANCELLED', reason: 'cancelled_by_request', lost_attempts: [1] });
  await leave(job, {}, aReceipt({ kind: 'failed', reason: 'exited', exit_code: 3 }, { agent: 'shell' }));
  expect((await rereadJob(deployment, job)).job.exit_code).toBeUndefined();
});

it('a success whose record is lost stays a success, and keeps its follow-up jobs', async () => {
  const job = await ended('lost record', {
    ...{ status: 'SUCCEEDED', follow_ups: ['1.0'], stdout_bytes: 0, stderr_bytes: 0 },
  });
  const { job: after } = await rereadJob(deployment, job);
  expect(after).toMatchObject({ status: 'SUCCEEDED', stdout_bytes: 0, follow_ups: ['1.0'] });
});
