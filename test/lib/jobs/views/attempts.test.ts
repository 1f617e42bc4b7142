import { expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { NewerSchemaError } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { DamagedReceiptError } from '../../../../lib/jobs/output/output-store.ts';
import type { Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { attemptsOf } from '../../../../lib/jobs/views/attempts.ts';
import { aReceipt, aRunningJob } from '../a-job.ts';

const FAILED = aReceipt({ kind: 'failed', reason: 'exit_code', exit_code: 3 });

/** The attempts of a job as a client sees them, and which receipts were read for it. */
async function attempts(job: Job, receiptOf: (attempt: number) => Receipt | undefined) {
  const read: number[] = [];
  const readReceipt = async (_id: string, attempt: number) => {
    read.push(attempt);
    return receiptOf(attempt);
  };
  return { views: await attemptsOf({ readReceipt }, job), read };
}

/** A job that no other test has, since ended attempts are remembered. */
function job(name: string, differences: Partial<Job> = {}): Job {
  return aRunningJob({ id: jobIdOfKey(name), ...differences });
}

it.each<[string, Partial<Job>, string, readonly number[]]>([
  ['runs', {}, 'RUNNING', [1]],
  ['has ended with its worker', { status: 'SUCCEEDED', reason: 'succeeded' }, 'SUCCEEDED', [1]],
  ['waits for its next attempt', { status: 'QUEUED', reason: 'worker_lost' }, 'FAILED', [2, 1]],
])('the newest attempt of a job that %s', async (state, differences, status, read) => {
  const seen = await attempts(job(state, { ...differences, attempt: 2 }), () => FAILED);
  expect(seen.read).toEqual(read);
  expect(seen.views.map(({ attempt }) => attempt)).toEqual([2, 1]);
  expect(seen.views[0]).toMatchObject({ status });
  expect(seen.views[1]).toMatchObject({ status: 'FAILED', exit_code: 3 });
});

it('a job that was cancelled while it waited has its attempts by their receipts', async () => {
  const { worker_id: _none, ...cancelled } = job('cancelled', { status: 'CANCELLED', reason: 'cancelled' });
  const { views } = await attempts(cancelled, () => FAILED);
  expect(views).toMatchObject([{ attempt: 1, status: 'FAILED', exit_code: 3 }]);
});

it('a job of many attempts has the newest ones', async () => {
  const { views, read } = await attempts(job('many', { attempt: 15 }), () => FAILED);
  expect(views.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 10 }, (_, n) => 15 - n));
  expect(read.at(-1)).toBe(6);
});

it('a receipt is read once', async () => {
  const twice = job('remembered', { attempt: 2 });
  expect(await attempts(twice, () => FAILED)).toMatchObject({ read: [1] });
  const again = await attempts(twice, () => FAILED);
  expect(again).toMatchObject({ read: [], views: [{ attempt: 2 }, { attempt: 1, status: 'FAILED' }] });
});

it('the newest thousand attempts are remembered', async () => {
  const first = job('first of a thousand', { attempt: 2 });
  await attempts(first, () => FAILED);
  for (let n = 1; n < 1_000; n += 1) await attempts(job(`one of a thousand ${n}`, { attempt: 2 }), () => FAILED);
  expect(await attempts(first, () => FAILED)).toMatchObject({ read: [] });
  await attempts(job('one more', { attempt: 2 }), () => FAILED);
  expect(await attempts(first, () => FAILED)).toMatchObject({ read: [1] });
});

it('an attempt without a receipt is looked for again', async () => {
  const lost = job('late', { attempt: 2 });
  expect((await attempts(lost, () => undefined)).views[1]).toMatchObject({ status: 'QUEUED', exit_code: null });
  expect((await attempts(lost, () => FAILED)).views[1]).toMatchObject({ status: 'FAILED', exit_code: 3 });
});

it.each([
  ['damaged', new DamagedReceiptError('jobs/1 is not a receipt')],
  ['of a newer version', new NewerSchemaError('jobs/1')],
])('an attempt whose receipt is %s has no state', async (which, error) => {
  const { views } = await attempts(job(which, { attempt: 2 }), () => {
    throw error;
  });
  expect(views[1]).toEqual({
    ...{ attempt: 1, status: null, state_reason: null, started_at: null, finished_at: null },
    ...{ exit_code: null, signal: null, resumed_from: null },
  });
});

it('another error of the store is none of the attempt', async () => {
  const refused = attempts(job('refused', { attempt: 2 }), () => {
    throw new Error('access denied');
  });
  await expect(refused).rejects.toThrow('access denied');
});
