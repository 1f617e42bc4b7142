import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { tokensOf } from '../../../lib/counters/stats-items.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { sessionAboutKey, sessionPartKey } from '../../../lib/jobs/output/output-keys.ts';
import { asOfAttempt, asOfNewestAttempt } from '../../../lib/jobs/views/attempt-view.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { type ReconcilerContext, takeOverLostJobs } from '../../../lib/reconciler/reconcile-jobs.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { continueSession } from '../../../worker-container/attempt/attempt-session.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const ID = '01a207f5-eb44-7283-a012-30a0de506a94';
const USED = { input_tokens: 10, cached_input_tokens: 0, output_tokens: 1, reasoning_output_tokens: 0 };
const CALL = `${JSON.stringify({ type: 'token_usage_record', payload: { usage: { ...USED, total_tokens: 11 } } })}\n`;

/** Attempt 2 of a job, whose agent made two calls after one of attempt 1, and whose worker was lost. */
async function lose(
  differences: Partial<Job>,
  context: Partial<ReconcilerContext> = {},
  deployment = quietDeployment(),
) {
  const put = async (Key: string, Body: string) => {
    await deployment.objects.send(new PutObjectCommand({ Bucket: deployment.env.OUTPUT_BUCKET, Key, Body }));
  };
  const lease_until = timestamp(deployment.clock.now() - 5_000);
  const before = { agent: 'codex', attempt: 2, resume_from: 1, resume_oldest: 1, usage: USED } as const;
  const running = await deployment.store({ ...aRunningJob({ lease_until, ...before }), ...differences });
  const made = { agent: 'codex', vendor: 'practice', cwd: '/work', worker_id: 'worker-1', session_id: ID };
  const record = { version: 1, ...made, path: `${ID}.jsonl`, billed_bytes: CALL.length, resumed_from: 1 };
  await put(sessionAboutKey(running.id, 2, 0), JSON.stringify(record));
  await put(sessionPartKey(running.id, 2, 0, 0), CALL.repeat(3));
  const [job = running] = await takeOverLostJobs({ ...deployment, ...context });
  return { deployment, put, job };
}

/** What the next attempt counts when it has used nothing yet. */
async function countedNext({ deployment, job }: Awaited<ReturnType<typeof lose>>) {
  const agentFolder = await mkdtemp(join(tmpdir(), 'promptq-session-'));
  onTestFinished(() => rm(agentFolder, { recursive: true, force: true }));
  const claimed = await transition(deployment, job, { type: 'claim', workerId: 'worker-1' });
  const about = { agent: codex, profile: { vendor: 'practice' }, origin: {}, cwd: '/work', earlier: undefined };
  const worker = { ...deployment, workerId: 'worker-1' };
  const files = { agent: agentFolder, attachments: join(agentFolder, 'attachments') };
  const attempt = { worker, job: claimed.job ?? job, files, ending: {} };
  const { resumed } = await continueSession(attempt as never, about as never);
  expect(resumed).toMatchObject({ attempt: 2 });
  return resumed?.meter?.usage(undefined);
}

test.each([
  { end: 'FAILED', differences: { losses: 3 } },
  { end: 'CANCELLED', differences: { cancel_requested_at: '2026-11-20T10:00:05.000Z', reason: 'cancelling' } },
] as const)('what a lost attempt used is counted, although its job has ended: $end', async ({ end, differences }) => {
  const { job } = await lose(differences);
  expect(job.status).toBe(end);
  expect(asOfNewestAttempt(job, undefined).usage).toEqual({ ...USED, input_tokens: 20, output_tokens: 2 });
  expect(tokensOf(job)).toMatchObject({ t_in: 30, t_out: 3 });
});

test('what a lost attempt used is not counted again with the next, and what it saved later is', async () => {
  const lost = await lose({});
  expect(lost.job).toMatchObject({ status: 'QUEUED', reason: 'worker_lost', lost_attempts: [2] });
  expect(tokensOf(lost.job)).toMatchObject({ t_in: 30, t_out: 3 });
  expect(asOfAttempt(lost.job, 2, undefined).usage).toEqual({ ...USED, input_tokens: 20, output_tokens: 2 });
  expect(await countedNext(lost)).toBeUndefined();

  const late = await lose({});
  await late.put(sessionPartKey(late.job.id, 2, 0, CALL.length * 3), CALL);
  expect(await countedNext(late)).toEqual(USED);
});

test('a loss is not decided while the session of the attempt is unavailable, so that its usage is not lost', async () => {
  const find = async () => {
    throw Object.assign(new Error('slow down'), { name: 'SlowDown', $metadata: { httpStatusCode: 503 } });
  };
  const deployment = quietDeployment();
  const context = { agentSessions: { find } as unknown as ReconcilerContext['agentSessions'] };
  await expect(lose({ losses: 3 }, context, deployment)).rejects.toThrow('slow down');
  const [job] = await takeOverLostJobs(deployment);
  expect([job?.status, tokensOf(job as Job).t_in]).toEqual(['FAILED', 30]);
});
