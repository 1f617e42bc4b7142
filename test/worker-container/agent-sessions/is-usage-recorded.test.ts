import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { receiptKey } from '../../../lib/jobs/output/output-keys.ts';
import { OutputStore } from '../../../lib/jobs/output/output-store.ts';
import type { Receipt } from '../../../lib/jobs/receipts/receipt.ts';
import { isUsageRecorded } from '../../../worker-container/agent-sessions/restore-session.ts';
import { aJob, aReceipt, aRunningJob } from '../../lib/jobs/a-job.ts';
import { ModelObjects } from '../../simulation/model/objects.ts';

const USED = { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1, reasoning_output_tokens: 0 };
const TURN = aJob({ id: 'job_00000000000000000000000009', status: 'FAILED', attempt: 2 });

/** Whether the usage of attempt 2 is recorded when attempt 4 continues it. @param receipts by attempt; a text: damaged */
async function recorded(
  receipts: Record<number, Partial<Receipt> | string>,
  job: Partial<Job> = {},
  turn?: Partial<Job>,
  other?: Partial<Job>,
): Promise<boolean> {
  const model = new ModelObjects();
  const send = async (command: unknown) => model.perform(command);
  const output = new OutputStore(Object.assign(new S3Client({ region: 'local' }), { send }), 'b');
  const running = aRunningJob({ attempt: 4, ...job });
  const jobId = turn === undefined ? running.id : TURN.id;
  for (const [attempt, receipt] of Object.entries(receipts)) {
    const of = { job_id: jobId, attempt: Number(attempt) };
    if (typeof receipt !== 'string')
      await output.putReceipt(aReceipt({ kind: 'handed_back', reason: 'waiting_for_worker' }, { ...of, ...receipt }));
    else model.perform(new PutObjectCommand({ Bucket: 'b', Key: receiptKey(jobId, of.attempt), Body: receipt }));
  }
  const before =
    other === undefined ? [] : [{ job: aJob({ id: 'job_00000000000000000000000008', ...other }), attempt: 2 }];
  const earlier = turn === undefined ? before : [...before, { job: { ...TURN, ...turn }, attempt: 2 }];
  return await isUsageRecorded(output, { job: running, earlier }, { jobId, attempt: 2 });
}

test('the receipt of an attempt records its usage, unless it was lost', async () => {
  expect(await recorded({})).toBe(false);
  expect(await recorded({ 2: { usage: USED } })).toBe(true);
  expect(await recorded({ 2: 'damaged' })).toBe(true);
  for (const late of [{ usage: USED }, 'damaged'])
    expect(await recorded({ 2: late }, { lost_attempts: [2] })).toBe(false);
});

test('a receipt without usage leaves it to the next attempt', async () => {
  expect(await recorded({ 2: {} })).toBe(false);
});

test('an attempt that continued a lost one and saved no session has recorded the usage of both', async () => {
  const lost = { lost_attempts: [2] };
  expect(await recorded({ 3: { usage: USED, resumed_from: 2 } }, lost)).toBe(true);
  expect(await recorded({ 3: { resumed_from: 2 } }, lost)).toBe(false);
  expect(await recorded({ 3: { usage: USED } }, lost)).toBe(false);
  expect(await recorded({ 3: { usage: USED, resumed_from: 2 } }, { lost_attempts: [2, 3] })).toBe(false);
});

test('what the turn before lost is recorded once, by the first attempt that continues it', async () => {
  expect(await recorded({ 2: { usage: USED } }, {}, {})).toBe(true);
  expect(await recorded({ 2: { usage: USED } }, {}, { lost_attempts: [2] })).toBe(false);
  expect(await recorded({ 2: { usage: USED } }, { usage: USED }, { lost_attempts: [2] })).toBe(true);
});

test('only what is known of its own job and attempt counts for an attempt', async () => {
  const lost = { lost_attempts: [2] };
  expect(await recorded({ 2: { usage: USED } }, {}, undefined, lost)).toBe(true);
  expect(await recorded({ 2: { usage: USED } }, {}, {}, lost)).toBe(true);
  expect(await recorded({}, { usage: USED })).toBe(false);
  expect(await recorded({}, {}, {})).toBe(false);
  expect(await recorded({ 3: 'damaged' }, lost)).toBe(false);
});
