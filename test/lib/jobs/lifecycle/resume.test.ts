import { expect, test } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { decide } from '../../../../lib/jobs/lifecycle/lifecycle.ts';
import type { Outcome, Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { aJob, aReceipt, aRunningJob } from '../a-job.ts';

const NOW = Date.parse('2026-11-20T10:00:10.000Z');
const AFTER_LEASE = Date.parse('2026-11-20T10:00:31.000Z');

function after(job: Job, event: JobEvent, now = NOW): Job {
  const decision = decide(job, event, { now, random: () => 0 });
  if ('rejected' in decision) throw new Error(decision.rejected);
  return decision.job;
}

function end(outcome: Partial<Outcome> & Pick<Outcome, 'kind' | 'reason'>, attempt = 1): JobEvent {
  return { type: 'end', receipt: aReceipt(outcome, { attempt, agent: 'codex' }) };
}

const running = aRunningJob({ agent: 'codex', retries: 1 });

test.for([
  { what: 'a usage limit', event: end({ kind: 'parked', reason: 'usage_limit' }) },
  { what: 'a missing account', event: end({ kind: 'parked', reason: 'account_required' }) },
  { what: 'a login that was renewed meanwhile', event: end({ kind: 'handed_back', reason: 'account_required' }) },
  { what: 'a stop of the worker', event: end({ kind: 'handed_back', reason: 'waiting_for_worker' }) },
  { what: 'the loss of the worker', event: { type: 'lose' } as const, now: AFTER_LEASE },
  { what: 'a forgiven loss of the worker', event: { type: 'lose', forgiven: true } as const, now: AFTER_LEASE },
])('after $what the next attempt continues the session of this one', ({ event, now }) => {
  const queued = after(running, event, now);
  expect(queued).toMatchObject({ status: 'QUEUED', resume_from: 1, resume_oldest: 1 });
  const { parked: _parked, due_at: _due, ...waiting } = queued;
  const claimed = after(waiting, { type: 'claim', workerId: 'worker-2' }, AFTER_LEASE);
  expect(claimed).toMatchObject({ attempt: 2, resume_from: 1 });
  const again = after(claimed, end({ kind: 'handed_back', reason: 'waiting_for_worker' }, 2));
  expect(again).toMatchObject({ resume_from: 2, resume_oldest: 1 });
});

const resuming = aRunningJob({ agent: 'codex', retries: 1, attempt: 2, resume_from: 1, resume_oldest: 1 });

test('after a timeout with a retry the next attempt continues the session, with the whole timeout again', () => {
  const event = end({ kind: 'failed', reason: 'timed_out' }, 2);
  const job = after({ ...resuming, ran_before: 5_000 }, event);
  expect(job).toMatchObject({
    status: 'QUEUED',
    reason: 'retry_backoff',
    retries_used: 1,
    resume_from: 2,
    resume_oldest: 1,
  });
  expect(job).not.toHaveProperty('ran_before');
  expect(after({ ...resuming, retries: 0 }, event)).not.toHaveProperty('resume_from');
});

test.for([
  { what: 'a failure with a retry', event: end({ kind: 'failed', reason: 'agent_error' }, 2), status: 'QUEUED' },
  { what: 'a success', event: end({ kind: 'succeeded', reason: 'exited' }, 2), status: 'SUCCEEDED' },
  { what: 'a cancel', event: end({ kind: 'cancelled', reason: 'cancelled_by_request' }, 2), status: 'CANCELLED' },
])('after $what no attempt continues it', ({ event, status }) => {
  const job = after(resuming, event);
  expect(job.status).toBe(status);
  expect(job).not.toHaveProperty('resume_from');
  expect(job).not.toHaveProperty('ran_before');
  // What a person cancelled can be retried in its session.
  expect('resume_oldest' in job).toBe(status === 'CANCELLED');
});

test('after a refused session the job starts again from its prompt, and says so until the round ends', () => {
  const job = after(resuming, end({ kind: 'handed_back', reason: 'waiting_for_worker', session_refused: true }, 2));
  expect(job).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker', session_refused: true });
  expect(job).not.toHaveProperty('resume_from');
  const claimed = after(job, { type: 'claim', workerId: 'worker-2' });
  const failed = after({ ...claimed, retries: 0 }, end({ kind: 'failed', reason: 'agent_error' }, 3));
  expect(failed).toMatchObject({ status: 'FAILED', session_refused: true });
  expect(after(failed, { type: 'retry' })).not.toHaveProperty('session_refused');
});

test.for(['FAILED', 'CANCELLED'] as const)('a retry of a %s job can continue its session', (status) => {
  const job = aJob({ agent: 'codex', status, reason: 'worker_lost', attempt: 3, resume_oldest: 2, ran_before: 5 });
  const retried = after(job, { type: 'retry', from: 'session' });
  expect(retried).toMatchObject({ status: 'QUEUED', resume_from: 3, resume_oldest: 2 });
  // The retry gets the whole timeout.
  expect(retried).not.toHaveProperty('ran_before');
  const { resume_oldest: _oldest, ...alone } = job;
  expect(after(alone, { type: 'retry', from: 'session' })).toMatchObject({ resume_from: 3, resume_oldest: 3 });
  for (const from of ['start', undefined] as const) {
    const fresh = after(job, { type: 'retry', from });
    for (const name of ['resume_from', 'resume_oldest']) expect(fresh).not.toHaveProperty(name);
  }
});

test.for([
  { job: aJob({ agent: 'shell', status: 'FAILED', attempt: 1 }), why: 'a script has no session' },
  { job: aJob({ agent: 'codex', status: 'CANCELLED', attempt: 0 }), why: 'it has never run' },
  { job: aJob({ agent: 'codex', status: 'SUCCEEDED', attempt: 1 }), why: 'continue the job' },
])('refuses to retry a session: $why', ({ job, why }) => {
  const decision = decide(job, { type: 'retry', from: 'session' }, { now: NOW, random: () => 0 });
  expect(decision).toEqual({ rejected: expect.stringContaining(why) });
});

test('the attempts of one session share the timeout, without the time in between', () => {
  const started_at = '2026-11-20T10:00:04.000Z';
  const handedBack = (attempt: number, more: Partial<Receipt> = {}) =>
    ({
      type: 'end',
      receipt: {
        ...aReceipt({ kind: 'handed_back', reason: 'waiting_for_worker' }, { attempt, agent: 'codex' }),
        ...more,
      },
    }) as const;
  const first = after({ ...running, started_at }, handedBack(1));
  expect(first).toMatchObject({ ran_before: 6_000 });
  // The service was stopped before it could apply the receipt.
  const later = Date.parse('2026-11-21T10:00:00.000Z');
  expect(after({ ...running, started_at }, handedBack(1), later)).toMatchObject({ ran_before: 6_000 });
  const second = { ...running, ...first, status: 'RUNNING', attempt: 2, started_at } as Job;
  expect(after(second, handedBack(2, { resumed_from: 1 }))).toMatchObject({ ran_before: 12_000 });
  // It could not continue the session.
  expect(after(second, handedBack(2))).toMatchObject({ ran_before: 6_000 });
  // It ended before it started an agent: the next attempt can still continue the session.
  expect(after(second, handedBack(2, { agent: undefined }))).toMatchObject({ ran_before: 12_000 });
  // A lost worker was heard 30 s before its lease ended.
  const lost = { ...second, lease_until: '2026-11-20T10:00:37.000Z' };
  expect(after(lost, { type: 'lose' }, Date.parse('2026-11-20T11:00:00.000Z'))).toMatchObject({ ran_before: 9_000 });
});

test('a retry starts from the prompt', () => {
  const cancelled = after(aJob({ attempt: 1, resume_from: 1, resume_oldest: 1 }), { type: 'cancel' });
  expect(after({ ...cancelled, resume_from: 1, resume_oldest: 1 }, { type: 'retry' })).not.toHaveProperty(
    'resume_from',
  );
});

test.for([
  { changes: { texts: 'fedcba9876543210' }, isKept: false },
  { changes: { profile: 'other' }, isKept: false },
  { changes: { cwd: 'elsewhere' }, isKept: false },
  { changes: { texts: '0123456789abcdef', profile: 'practice' }, isKept: true },
  { changes: { priority: 5, retries: 3, timeout: 9 }, isKept: true },
])('an edit keeps or clears what is continued: $changes', ({ changes, isKept }) => {
  const job = after(aJob({ attempt: 1, resume_from: 1, resume_oldest: 1 }), { type: 'edit', changes });
  expect('resume_from' in job).toBe(isKept);
  expect('resume_oldest' in job).toBe(isKept);
});

test('a retry of the session that an edit has cleared is refused, until an attempt has begun another', () => {
  const edit: JobEvent = { type: 'edit', changes: { texts: 'fedcba9876543210' } };
  const edited = after(aJob({ agent: 'codex', attempt: 1, resume_from: 1, resume_oldest: 1 }), edit);
  const cancelled = after(edited, { type: 'cancel' });
  const retry: JobEvent = { type: 'retry', from: 'session' };
  expect(decide(cancelled, retry, { now: NOW, random: () => 0 })).toEqual({
    rejected: expect.stringContaining('before the job was edited'),
  });
  const again = after(after(cancelled, { type: 'retry' }), { type: 'claim', workerId: 'worker-2' });
  const lost = after(again, end({ kind: 'cancelled', reason: 'cancelled_by_request' }, 2));
  expect(after(lost, retry)).toMatchObject({ resume_from: 2, resume_oldest: 2 });
  // What an edit leaves as it was stays what is continued.
  const same = after(aJob({ agent: 'codex', attempt: 1 }), { type: 'edit', changes: { priority: 5 } });
  expect(after(after(same, { type: 'cancel' }), retry)).toMatchObject({ resume_from: 1 });
});
