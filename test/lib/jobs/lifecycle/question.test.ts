import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { decide } from '../../../../lib/jobs/lifecycle/lifecycle.ts';
import type { Outcome } from '../../../../lib/jobs/receipts/receipt.ts';
import { aJob, aReceipt, aRunningJob } from '../a-job.ts';

const NOW = Date.parse('2026-11-20T10:00:10.000Z');
const AFTER_LEASE = Date.parse('2026-11-20T10:00:31.000Z');
const DUE = '2026-11-20T11:00:00.000Z';
const AFTER_DUE = Date.parse(DUE) + 1;
const ID = 'q_1';

const decided = (job: Job, event: JobEvent, now = NOW) => decide(job, event, { now, random: () => 0 });

function next(job: Job, event: JobEvent, now = NOW): Job {
  const decision = decided(job, event, now);
  if ('rejected' in decision) throw new Error(decision.rejected);
  return decision.job;
}

function end(outcome: Partial<Outcome> & Pick<Outcome, 'kind' | 'reason'>): JobEvent {
  return { type: 'end', receipt: aReceipt(outcome, { agent: 'codex' }) };
}

const ASK: JobEvent = { type: 'ask', attempt: 1, question: { id: ID, due: DUE } };
const OTHER: JobEvent = { type: 'ask', attempt: 1, question: { id: 'q_2', due: DUE } };
const ANSWER: JobEvent = { type: 'answer', id: ID, answer: 'row' };
const EXPIRE: JobEvent = { type: 'expire', id: ID };
const ASKED = end({ kind: 'asked', reason: 'question' });

const running = aRunningJob({ agent: 'codex', retries: 1 });
const asking = next(running, ASK);
const askingWithDefault = next(running, { ...ASK, question: { id: ID, due: DUE, has_default: true } });
const parked = next(asking, ASKED);
const PARKED = { status: 'QUEUED', reason: 'question', parked: 'question', due_at: DUE, resume_from: 1 };

const done = { id: 'q_0', due: DUE, state: 'withdrawn' } as const;
const often = { question: done, earlier_questions: Array.from({ length: LIMITS.questions.perJob - 1 }, () => done) };

describe('asking', () => {
  test('opens a question', () => {
    expect(asking).toMatchObject({ status: 'RUNNING', question: { id: ID, state: 'open', due: DUE } });
    expect(asking).not.toHaveProperty('earlier_questions');
  });

  test.for<{ what: string; job: Job; why: RegExp; event?: JobEvent }>([
    { what: 'while another is open', job: asking, why: /q_1 is open/, event: OTHER },
    { what: 'more often than allowed', job: { ...running, ...often }, why: /at most 20/ },
    { what: 'by an attempt that is over', job: { ...running, attempt: 2 }, why: /attempt is over/ },
    { what: 'by a job that does not run', job: aJob({}), why: /attempt is over/ },
    { what: 'during a cancel', job: next(running, { type: 'cancel' }), why: /cancelled/ },
  ])('is rejected $what', ({ job, why, event = ASK }) => {
    expect(decided(job, event)).toEqual({ rejected: expect.stringMatching(why) });
  });
});

describe('withdrawing a question for which the agent does not wait', () => {
  const WITHDRAW: JobEvent = { type: 'withdraw', attempt: 1, id: ID };

  test('ends it, and nothing else of the job', () => {
    const job = next(asking, WITHDRAW);
    expect(job).toMatchObject({ status: 'RUNNING', question: { id: ID, state: 'withdrawn' } });
    expect(decided(job, ANSWER)).toEqual({ rejected: 'question q_1 is withdrawn' });
    expect(decided(job, ASK)).toEqual({ rejected: 'question q_1 is withdrawn' });
    expect(next(job, OTHER)).toMatchObject({ question: { id: 'q_2', state: 'open' } });
  });

  test.for<{ what: string; job: Job; why: RegExp; event?: JobEvent }>([
    { what: 'that is answered', job: next(asking, ANSWER), why: /q_1 is not open/ },
    { what: 'of another name', job: asking, why: /q_2 is not open/, event: { ...WITHDRAW, id: 'q_2' } },
    { what: 'of an attempt that is over', job: { ...asking, attempt: 2 }, why: /attempt is over/ },
    { what: 'for which the job waits', job: parked, why: /attempt is over/ },
  ])('is rejected for one $what', ({ job, why, event = WITHDRAW }) => {
    expect(decided(job, event)).toEqual({ rejected: expect.stringMatching(why) });
  });
});

describe('the end of an attempt with an open question', () => {
  test.for<{ what: string; event: JobEvent; now?: number }>([
    { what: 'asked', event: ASKED },
    { what: 'a hand-back', event: end({ kind: 'handed_back', reason: 'waiting_for_worker' }) },
    { what: 'a usage limit', event: end({ kind: 'parked', reason: 'usage_limit' }) },
    { what: 'a missing account', event: end({ kind: 'parked', reason: 'account_required' }) },
    { what: 'a loss', event: { type: 'lose' }, now: AFTER_LEASE },
    { what: 'a forgiven loss', event: { type: 'lose', forgiven: true }, now: AFTER_LEASE },
  ])('parks the job after $what', ({ event, now }) => {
    const job = next(asking, event, now);
    expect(job).toMatchObject({ ...PARKED, question: { state: 'open' } });
    expect(job).not.toHaveProperty('worker_id');
  });

  test.for<{ what: string; event: JobEvent; status: string }>([
    { what: 'a success', event: end({ kind: 'succeeded', reason: 'exited' }), status: 'SUCCEEDED' },
    { what: 'a failure with a retry', event: end({ kind: 'failed', reason: 'agent_error' }), status: 'QUEUED' },
    { what: 'a cancel', event: end({ kind: 'cancelled', reason: 'cancelled_by_request' }), status: 'CANCELLED' },
  ])('withdraws it after $what', ({ event, status }) => {
    const job = next(asking, event);
    expect(job).toMatchObject({ status, question: { state: 'withdrawn' } });
    expect(job).not.toHaveProperty('parked');
  });
});

describe('an answer', () => {
  test('queues a parked job, which keeps its session', () => {
    const job = next(parked, ANSWER);
    expect(job).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker', resume_from: 1 });
    expect(job.question).toEqual({ id: ID, state: 'answered', due: DUE, answer: 'row' });
    for (const name of ['parked', 'due_at']) expect(job).not.toHaveProperty(name);
  });

  test('counts until the deadline, once, and only to the question', () => {
    expect(next(parked, ANSWER, Date.parse(DUE)).question?.state).toBe('answered');
    expect(decided(parked, ANSWER, AFTER_DUE)).toEqual({ rejected: expect.stringContaining('deadline') });
    expect(decided(next(parked, ANSWER), ANSWER)).toEqual({ rejected: expect.stringContaining('is answered') });
    expect(decided(parked, { ...ANSWER, id: 'q_2' })).toEqual({ rejected: expect.stringContaining('no question q_2') });
  });
});

describe('the deadline', () => {
  test('ends the wait only once it has passed, and never after an answer', () => {
    expect(decided(parked, EXPIRE, Date.parse(DUE))).toHaveProperty('rejected');
    expect(decided(next(parked, ANSWER), EXPIRE, AFTER_DUE)).toHaveProperty('rejected');
    expect(decided(next(parked, EXPIRE, AFTER_DUE), ANSWER)).toHaveProperty('rejected');
  });

  test('fails a job without a default answer, finally', () => {
    expect(next(parked, EXPIRE, AFTER_DUE)).toMatchObject({
      ...{ status: 'FAILED', reason: 'not_answered', question: { state: 'expired' } },
    });
    expect(next(parked, EXPIRE, AFTER_DUE)).not.toHaveProperty('retries_used');
  });

  test('continues a job with a default answer', () => {
    const job = next(next(askingWithDefault, ASKED), EXPIRE, AFTER_DUE);
    expect(job).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker', question: { state: 'expired' } });
    expect(job).not.toHaveProperty('parked');
  });

  test.for<{ event: JobEvent }>([{ event: ASKED }, { event: { type: 'lose' } }])(
    'that passes while the agent waits counts at the end of its attempt ($event.type)',
    ({ event }) => {
      const unanswered = next(asking, EXPIRE, AFTER_DUE);
      expect(unanswered.status).toBe('RUNNING');
      expect(next(unanswered, event, AFTER_DUE)).toMatchObject({ status: 'FAILED', reason: 'not_answered' });
      const byDefault = next(next(askingWithDefault, EXPIRE, AFTER_DUE), event, AFTER_DUE);
      expect(byDefault).toMatchObject({ status: 'QUEUED', resume_from: 1 });
      expect(byDefault).not.toHaveProperty('parked');
    },
  );
});

describe('a request of a client', () => {
  test('to cancel withdraws the question', () => {
    expect(next(parked, { type: 'cancel' })).toMatchObject({ status: 'CANCELLED', question: { state: 'withdrawn' } });
  });

  test('to change what the agent was asked to do withdraws it, and the job starts over', () => {
    const job = next(parked, { type: 'edit', changes: { texts: 'other' } });
    expect(job).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker' });
    expect(job.question).toMatchObject({ state: 'withdrawn', stale: true });
    for (const name of ['parked', 'due_at', 'resume_from']) expect(job).not.toHaveProperty(name);
  });

  test('to retry from the session keeps an answer, which that session may lack', () => {
    const failed = next({ ...running, retries: 0 }, end({ kind: 'failed', reason: 'start_failed' }));
    const retried = (question: Job['question']) => next({ ...failed, question }, { type: 'retry', from: 'session' });
    const { question: answered } = next(asking, ANSWER);
    expect(retried(answered)).toMatchObject({ status: 'QUEUED', question: { state: 'answered' } });
    expect(retried(answered).question).not.toHaveProperty('stale');
    const { question: byDefault } = next(askingWithDefault, EXPIRE, AFTER_DUE);
    expect(retried(byDefault).question).not.toHaveProperty('stale');
    const { question: unanswered } = next(asking, EXPIRE, AFTER_DUE);
    expect(retried(unanswered).question).toMatchObject({ state: 'expired', stale: true });
  });
});
