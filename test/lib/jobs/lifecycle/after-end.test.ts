import { describe, expect, it } from 'vitest';
import type { DeployEffect } from '../../../../lib/jobs/lifecycle/effect.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import type { Outcome, Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { aReceipt, aRunningJob } from '../a-job.ts';
import { next, refusal } from './decided.ts';

function end(
  outcome: Partial<Outcome> & Pick<Outcome, 'kind' | 'reason'>,
  { deploys = [], ...more }: Partial<Receipt> & { deploys?: readonly DeployEffect[] } = {},
): JobEvent {
  return { type: 'end', receipt: aReceipt(outcome, more), deploys };
}

const AT = '2026-11-20T10:00:10.000Z';
const AFTER_LEASE = Date.parse('2026-11-20T10:00:31.000Z');
const failed = { kind: 'failed', reason: 'exited', exit_code: 1 } as const;
const succeeded = { kind: 'succeeded', reason: 'exited' } as const;

describe('an attempt that succeeds', () => {
  it('is a success though a question went unanswered for which its agent did not wait', () => {
    const question = { id: 'q_1', state: 'expired', due: '2026-11-20T10:00:05.000Z' } as const;
    expect(next(aRunningJob({ question }), end(succeeded))).toMatchObject({ status: 'SUCCEEDED', reason: 'exited' });
  });

  it('leaves deployments to be done if bindings apply to it', () => {
    expect(next(aRunningJob(), end(succeeded, { deploys: ['calls', 'commands'] }))).toMatchObject({
      effects: [
        { name: 'calls', attempt: 1 },
        { name: 'commands', attempt: 1 },
      ],
    });
    expect(next(aRunningJob(), end(succeeded))).not.toHaveProperty('effects');
  });

  it('leaves follow-up jobs to be made if it, or one that it continued, may have asked for some', () => {
    const follow_ups = { blocks: [], more: 0 };
    const pendingAfter = (more: Partial<Receipt>) => next(aRunningJob({ attempt: 3 }), end(succeeded, more));
    expect(pendingAfter({ attempt: 3 })).not.toHaveProperty('effects');
    expect(pendingAfter({ attempt: 3, follow_ups })).toMatchObject({ effects: [{ name: 'follow_ups', attempt: 3 }] });
    expect(pendingAfter({ attempt: 3, chain: [1, 2] })).toMatchObject({
      effects: [
        { name: 'follow_ups', attempt: 1 },
        { name: 'follow_ups', attempt: 2 },
      ],
    });
    expect(pendingAfter({ attempt: 3, chain: [2], follow_ups })).toMatchObject({
      effects: [
        { name: 'follow_ups', attempt: 2 },
        { name: 'follow_ups', attempt: 3 },
      ],
    });
  });
});

describe('an overloaded vendor', () => {
  const overloaded = { kind: 'parked', reason: 'vendor_overloaded', error: 'Overloaded' } as const;
  const job = { retries: 1, agent: 'codex', error: 'Overloaded' } as const;

  it('has its jobs wait in growing pauses, without a retry', () => {
    const first = next(aRunningJob(job), end(overloaded), Date.parse(AT));
    expect(first).toMatchObject({
      status: 'QUEUED',
      parked: 'vendor_overloaded',
      overload: { since: AT, attempts: 1 },
    });
    expect(first).not.toHaveProperty('retries_used');
    const pause = (at: string) => {
      const later = next(
        aRunningJob({ ...job, overload: { since: AT, attempts: 1 } }),
        end(overloaded),
        Date.parse(at),
      );
      return Date.parse(later.due_at ?? '') - Date.parse(at);
    };
    expect(pause('2026-11-20T10:01:00.000Z')).toBeLessThanOrEqual(90_000);
    expect(pause('2026-11-20T11:00:00.000Z')).toBeGreaterThanOrEqual(450_000);
    expect(pause('2026-11-21T09:00:00.000Z')).toBeLessThanOrEqual(1_350_000);
  });

  it.each([
    ['a day', { since: '2026-11-19T10:00:00.000Z', attempts: 1 }],
    ['100 attempts', { since: '2026-11-20T09:00:00.000Z', attempts: 99 }],
  ])('fails its jobs after %s, with its sentence', (_limit, overload) => {
    const failed = next(aRunningJob({ ...job, overload }), end(overloaded), Date.parse(AT));
    expect(failed).toMatchObject({
      status: 'FAILED',
      reason: 'agent_error',
      error: expect.stringMatching(/: Overloaded$/),
    });
    expect(next(failed, { type: 'retry' })).not.toHaveProperty('overload');
  });

  it('is not overloaded for long if a model has answered', () => {
    const overload = { since: '2026-11-19T10:00:00.000Z', attempts: 1 };
    const answered = next(
      aRunningJob({ ...job, overload }),
      end(overloaded, { final_message: 'half' }),
      Date.parse(AT),
    );
    expect(answered).toMatchObject({ status: 'QUEUED', overload: { since: AT, attempts: 2 } });
  });
});

it('a failure that no attempt can mend uses no retry', () => {
  expect(next(aRunningJob({ retries: 2 }), end({ ...failed, final: true }))).toMatchObject({ status: 'FAILED' });
});

it.each([{ session_refused: true }, { older_cli: true }])('only an attempt that is handed back says %o', (said) => {
  expect(next(aRunningJob(), end({ ...failed, ...said }))).toMatchObject({ status: 'FAILED', reason: 'exited' });
});

describe('a lost attempt', () => {
  it('that the table may have caused is not counted', () => {
    const job = next(aRunningJob(), { type: 'lose', forgiven: true }, AFTER_LEASE);
    expect(job).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker' });
    expect(job).not.toHaveProperty('losses');
  });

  it.each<[string, Partial<Job>]>([
    ['is not lost before it has begun', { status: 'QUEUED', lease_until: undefined }],
    ['is not lost while its lease lasts', {}],
  ])('%s', (_what, state) => {
    expect(refusal(aRunningJob(state), { type: 'lose' })).toBe('the lease has not expired');
  });

  it('is lost once it has no lease', () => {
    expect(next(aRunningJob({ lease_until: undefined }), { type: 'lose' })).toMatchObject({ losses: 1 });
  });
});
