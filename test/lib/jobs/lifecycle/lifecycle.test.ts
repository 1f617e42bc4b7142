import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { Status } from '../../../../lib/contract/statuses.ts';
import { BACKOFF, MAX_LOGIN_RESTARTS, MAX_LOSSES } from '../../../../lib/jobs/lifecycle/after-attempt.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { decide } from '../../../../lib/jobs/lifecycle/lifecycle.ts';
import { aJob, aReceipt, aRunningJob } from '../a-job.ts';

const NOW = Date.parse('2026-11-20T10:00:10.000Z');
const AFTER_LEASE = Date.parse('2026-11-20T10:00:31.000Z');

const IN_STATE: Record<Status, Job> = {
  DRAFT: aJob({ status: 'DRAFT', reason: 'draft' }),
  QUEUED: aJob(),
  RUNNING: aRunningJob(),
  SUCCEEDED: aRunningJob({ status: 'SUCCEEDED', reason: 'exited' }),
  FAILED: aRunningJob({ status: 'FAILED', reason: 'exited' }),
  CANCELLED: aRunningJob({ status: 'CANCELLED', reason: 'cancelled_by_request' }),
};

const EVENTS = {
  submit: { type: 'submit' },
  edit: { type: 'edit', changes: { priority: 5 } },
  edit_draft: { type: 'edit_draft', changes: { priority: 5, project_id: 'other', project: 'other' } },
  claim: { type: 'claim', workerId: 'worker-1' },
  cancel: { type: 'cancel' },
  kill: { type: 'kill' },
  retry: { type: 'retry' },
  success: { type: 'end', receipt: aReceipt({ kind: 'succeeded', reason: 'exited' }) },
  failure: {
    type: 'end',
    receipt: aReceipt({ kind: 'failed', reason: 'exited', exit_code: 1, error: 'Exit code 1.' }),
  },
} satisfies Record<string, JobEvent>;

/** The state that follows each event in each state; '-' is a rejection. */
const TABLE: Record<keyof typeof EVENTS, Record<Status, Status | '-'>> = {
  submit: { DRAFT: 'QUEUED', QUEUED: '-', RUNNING: '-', SUCCEEDED: '-', FAILED: '-', CANCELLED: '-' },
  edit: { DRAFT: '-', QUEUED: 'QUEUED', RUNNING: '-', SUCCEEDED: '-', FAILED: '-', CANCELLED: '-' },
  edit_draft: { DRAFT: 'DRAFT', QUEUED: '-', RUNNING: '-', SUCCEEDED: '-', FAILED: '-', CANCELLED: '-' },
  claim: { DRAFT: '-', QUEUED: 'RUNNING', RUNNING: '-', SUCCEEDED: '-', FAILED: '-', CANCELLED: '-' },
  cancel: {
    DRAFT: 'CANCELLED',
    QUEUED: 'CANCELLED',
    RUNNING: 'RUNNING',
    SUCCEEDED: '-',
    FAILED: '-',
    CANCELLED: 'CANCELLED',
  },
  kill: { DRAFT: '-', QUEUED: '-', RUNNING: 'RUNNING', SUCCEEDED: '-', FAILED: '-', CANCELLED: '-' },
  retry: { DRAFT: '-', QUEUED: '-', RUNNING: '-', SUCCEEDED: 'QUEUED', FAILED: 'QUEUED', CANCELLED: 'QUEUED' },
  success: { DRAFT: '-', QUEUED: '-', RUNNING: 'SUCCEEDED', SUCCEEDED: '-', FAILED: '-', CANCELLED: '-' },
  failure: { DRAFT: '-', QUEUED: '-', RUNNING: 'FAILED', SUCCEEDED: '-', FAILED: '-', CANCELLED: '-' },
};

describe('every state and event', () => {
  for (const [name, row] of Object.entries(TABLE)) {
    for (const [status, expected] of Object.entries(row)) {
      it(`${status} and ${name} give ${expected === '-' ? 'a rejection' : expected}`, () => {
        const decision = decide(IN_STATE[status as Status], EVENTS[name as keyof typeof EVENTS], {
          now: NOW,
          random: () => 0.5,
        });
        if (expected === '-') expect(decision).toHaveProperty('rejected');
        else expect(decision).toMatchObject({ job: { status: expected } });
      });
    }
  }
});

function outcomeOf(job: Job, event: JobEvent, now = NOW): Job {
  const decision = decide(job, event, { now, random: () => 0.5 });
  if ('rejected' in decision) throw new Error(decision.rejected);
  return decision.job;
}

describe('an attempt that failed', () => {
  it('is followed by another after a pause while retries are left', () => {
    const job = outcomeOf(aRunningJob({ retries: 2 }), EVENTS.failure);
    expect(job).toMatchObject({ status: 'QUEUED', reason: 'retry_backoff', retries_used: 1 });
    expect(job.due_at).toBe(new Date(NOW + BACKOFF.base / 2).toISOString());
  });

  it('pauses twice as long each time, up to the longest pause', () => {
    const pauseAfter = (used: number) => {
      const decision = decide(aRunningJob({ retries: 100, retries_used: used }), EVENTS.failure, {
        now: NOW,
        random: () => 1,
      });
      return 'job' in decision ? Date.parse(decision.job.due_at ?? '') - NOW : Number.NaN;
    };
    expect([0, 1, 2, 3, 20].map(pauseAfter)).toEqual([5_000, 10_000, 20_000, 40_000, BACKOFF.max]);
  });

  it('is never followed by another once cancellation was requested', () => {
    const job = outcomeOf(aRunningJob({ retries: 5, cancel_requested_at: '2026-11-20T10:00:05.000Z' }), EVENTS.failure);
    expect(job).toMatchObject({ status: 'CANCELLED', reason: 'cancelled_by_request' });
  });

  it('ends CANCELLED after an accepted kill or cancel, whatever its outcome; what it left stays as evidence', () => {
    const receipt = aReceipt(
      { kind: 'succeeded', reason: 'exited' },
      { follow_ups: { blocks: [{ position: 0, body: '{}' }], more: 0 } },
    );
    const asked = aRunningJob({ cancel_requested_at: '2026-11-20T10:00:05.000Z', probing: 'usage_limit', retries: 3 });
    for (const [how, reason] of [
      [{}, 'cancelled_by_request'],
      [{ kill_requested: true }, 'killed_by_request'],
    ] as const) {
      const job = outcomeOf({ ...asked, ...how }, { type: 'end', receipt, deploys: ['calls', 'commands'] });
      expect(job).toMatchObject({ status: 'CANCELLED', reason, exit_code: 0, stdout_bytes: 0 });
      for (const name of ['effects', 'probing', 'due_at', 'retries_used']) expect(job).not.toHaveProperty(name);
    }
  });

  it('is rejected when a newer attempt has taken over', () => {
    const late = aReceipt({ kind: 'succeeded', reason: 'exited' }, { attempt: 1 });
    expect(decide(aRunningJob({ attempt: 2 }), { type: 'end', receipt: late }, { now: NOW, random: () => 0 })).toEqual({
      rejected: 'attempt 2 has taken over',
    });
  });
});

describe('a lost worker', () => {
  it('does not lose the job before its lease expires', () => {
    expect(decide(aRunningJob(), { type: 'lose' }, { now: NOW, random: () => 0 })).toHaveProperty('rejected');
  });

  it('uses no retry', () => {
    const job = outcomeOf(aRunningJob({ retries: 1 }), { type: 'lose' }, AFTER_LEASE);
    expect(job).toMatchObject({ status: 'QUEUED', reason: 'worker_lost', losses: 1 });
    expect(job.retries_used).toBeUndefined();
    expect(job.lease_until).toBeUndefined();
  });

  it('is tolerated a few times, then the job has failed', () => {
    const job = outcomeOf(aRunningJob({ losses: MAX_LOSSES }), { type: 'lose' }, AFTER_LEASE);
    expect(job).toMatchObject({ status: 'FAILED', reason: 'worker_lost' });
  });

  it('cancels a job whose cancellation was requested', () => {
    const job = outcomeOf(
      aRunningJob({ cancel_requested_at: '2026-11-20T10:00:05.000Z' }),
      { type: 'lose' },
      AFTER_LEASE,
    );
    expect(job.status).toBe('CANCELLED');
  });

  it('does not affect a job that a kill ends at once', () => {
    expect(outcomeOf(aRunningJob(), { type: 'kill' }, AFTER_LEASE)).toMatchObject({
      status: 'CANCELLED',
      reason: 'killed_by_request',
    });
  });
});

describe('a job that is released or parked', () => {
  it('uses no retry and keeps its place', () => {
    const receipt = aReceipt({ kind: 'handed_back', reason: 'waiting_for_worker', exit_code: null });
    const job = outcomeOf(aRunningJob({ retries: 1 }), { type: 'end', receipt });
    expect(job).toMatchObject({ status: 'QUEUED', queued_at: '2026-11-20T10:00:00.000Z' });
    expect([job.retries_used, job.losses]).toEqual([undefined, undefined]);
  });

  it('starts again with a login that another attempt renewed, a few times, and then waits for the account', () => {
    const receipt = aReceipt({ kind: 'handed_back', reason: 'account_required', exit_code: 1 });
    const again = outcomeOf(aRunningJob({ retries: 1 }), { type: 'end', receipt });
    expect(again).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker', login_restarts: 1 });
    expect([again.retries_used, again.parked]).toEqual([undefined, undefined]);
    const last = outcomeOf(aRunningJob({ login_restarts: MAX_LOGIN_RESTARTS }), { type: 'end', receipt });
    expect(last).toMatchObject({ status: 'QUEUED', parked: 'account_required' });
  });

  it.each([
    { said: 'a time', until: '2026-11-20T13:00:00.000Z', due: '2026-11-20T13:00:00.000Z' },
    {
      said: 'a past time, as a job can forge it,',
      until: '1970-01-01T00:00:01.000Z',
      due: new Date(NOW).toISOString(),
    },
    {
      said: 'a time that sorts before all others',
      until: '+275760-09-13T00:00:00.000Z',
      due: new Date(NOW + 31 * 86_400_000).toISOString(),
    },
  ])('waits for a limit until $said that the vendor names, but from now on and a month at most', ({ until, due }) => {
    const receipt = aReceipt({ kind: 'parked', reason: 'usage_limit', exit_code: 1, until });
    expect(outcomeOf(aRunningJob(), { type: 'end', receipt })).toMatchObject({ parked: 'usage_limit', due_at: due });
  });

  it('waits for the account, and is claimable again once unparked', () => {
    const parked = outcomeOf(aRunningJob(), {
      type: 'end',
      receipt: aReceipt({ kind: 'parked', reason: 'account_required', exit_code: 1 }),
    });
    expect(parked).toMatchObject({ status: 'QUEUED', reason: 'account_required', parked: 'account_required' });
    const claim = { type: 'claim', workerId: 'worker-2' } as const;
    expect(decide(parked, claim, { now: NOW, random: () => 0 })).toHaveProperty('rejected');
    expect(outcomeOf(parked, { type: 'unpark', reason: 'account_required' })).not.toHaveProperty('parked');
  });
});

it('a job still waits for its folder after the account is linked', () => {
  const job = outcomeOf(aJob(), { type: 'wait', gate: { kind: 'folder', key: 'one' } });
  expect(decide(job, { type: 'unpark', reason: 'account_required' }, { now: NOW, random: () => 0 })).toEqual({
    rejected: 'the job is not parked for account_required',
  });
});

it('a claim is rejected before the job is due', () => {
  const job = aJob({ due_at: '2026-11-20T10:00:10.001Z' });
  expect(decide(job, EVENTS.claim, { now: NOW, random: () => 0 })).toEqual({
    rejected: 'the job is not due before 2026-11-20T10:00:10.001Z',
  });
  expect(decide(job, EVENTS.claim, { now: NOW + 1, random: () => 0 })).toHaveProperty('job');
});

it('a retry starts a new round and keeps the attempts', () => {
  const job = outcomeOf(
    aRunningJob({
      status: 'FAILED',
      reason: 'exited',
      attempt: 3,
      retries_used: 2,
      losses: 1,
      login_restarts: 1,
      cancel_requested_at: '2026-11-20T10:00:00.000Z',
    }),
    EVENTS.retry,
  );
  expect(job).toMatchObject({ status: 'QUEUED', attempt: 3, queued_at: new Date(NOW).toISOString() });
  for (const gone of ['retries_used', 'losses', 'login_restarts', 'cancel_requested_at', 'finished_at'])
    expect(job).not.toHaveProperty(gone);
});

it('warnings that are cut can be stored: the table rejects half of a surrogate pair', () => {
  const warnings = [`${'a'.repeat(LIMITS.warnings.length - 1)}😀`];
  const job = outcomeOf(aRunningJob(), {
    type: 'end',
    receipt: { ...aReceipt({ kind: 'succeeded', reason: 'exited' }), warnings },
  });
  expect(job.attempt_warnings).toEqual([`${'a'.repeat(LIMITS.warnings.length - 1)}\u{fffd}`]);
});
