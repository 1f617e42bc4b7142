import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { hasPendingWork } from '../../../../lib/jobs/lifecycle/pending-work.ts';
import { aJob, aRunningJob } from '../a-job.ts';
import { AT, next, refusal } from './decided.ts';

const success = aJob({ status: 'SUCCEEDED', reason: 'exited', attempt: 2, finished_at: '2026-11-20T10:00:05.000Z' });
const failure = { ...success, status: 'FAILED' } as const;

it.each<[Partial<Job>, boolean]>([
  [{}, false],
  [{ children_pending: [1] }, true],
  [{ bindings_pending: [1] }, true],
  [{ messages_pending: true }, true],
  [{ thread_pending: true }, true],
])('a job has work left: %o: %s', (pending, has) => {
  expect(hasPendingWork({ ...success, ...pending })).toBe(has);
});

describe('deployments of a success', () => {
  const deploy = (attempt = 2): JobEvent => ({ type: 'deploy', attempt });

  it.each<[string, Job, JobEvent, string]>([
    ['of a failure', failure, deploy(), 'only a SUCCEEDED job'],
    ['of an earlier attempt', success, deploy(1), 'attempt 2 has taken over'],
    ['of a job that is being removed', { ...success, removing: true }, deploy(), 'being removed'],
  ])('are not begun %s', (_what, job, event, why) => {
    expect(refusal(job, event)).toContain(why);
  });

  it('have commands that may be held, and released', () => {
    const [hold, release] = [{ type: 'hold_commands' }, { type: 'release_commands' }] as const;
    const pending = { ...success, bindings_pending: [2] };
    const held = next(pending, hold);
    expect(held).toEqual({ ...pending, commands_held: true, updated_at: AT });
    expect(next(held, hold)).toBe(held);
    expect(next(held, release)).toEqual({ ...pending, updated_at: AT });
    expect(next(pending, release)).toBe(pending);
    for (const job of [success, { ...pending, status: 'FAILED' } as const])
      expect(refusal(job, hold)).toBe('the job has no commands to hold');
  });
});

describe('a message', () => {
  const message: JobEvent = { type: 'message' };

  it.each<[string, Job, string]>([
    ['a draft', aJob({ status: 'DRAFT', reason: 'draft' }), 'only a QUEUED or RUNNING job'],
    ['a job that has ended', success, 'only a QUEUED or RUNNING job'],
    ['a job that is being cancelled', aRunningJob({ cancel_requested_at: AT }), 'being cancelled'],
    ['a job that has had many', aJob({ messages: LIMITS.messages.perJob }), 'at most'],
  ])('is not sent to %s', (_what, job, why) => {
    expect(refusal(job, message)).toContain(why);
  });

  it('is settled after the end of its job, unless another one came', () => {
    const ended = next(aJob({ messages: 2 }), { type: 'cancel' });
    expect(ended).toMatchObject({ messages_pending: true });
    expect(next(aJob(), { type: 'cancel' })).not.toHaveProperty('messages_pending');
    expect(next(ended, { type: 'messages_settled', messages: 1 })).toBe(ended);
    const settled = next(ended, { type: 'messages_settled', messages: 2 });
    expect(settled).not.toHaveProperty('messages_pending');
    expect(next(settled, { type: 'messages_settled', messages: 2 })).toBe(settled);
  });
});

describe('a job is removed', () => {
  const remove: JobEvent = { type: 'remove', endedBefore: '2026-11-20T10:00:06.000Z' };

  it('once it ended long ago', () => {
    const removing = next(success, remove);
    expect(removing).toEqual({ ...success, removing: true });
    expect(next(removing, remove)).toBe(removing);
  });

  it.each<[string, Job, string]>([
    ['has ended since', { ...success, finished_at: '2026-11-20T10:00:06.000Z' }, 'is kept'],
    ['has ended at an unknown time', { ...success, finished_at: undefined }, 'is kept'],
    ['runs', aRunningJob({ finished_at: '2026-11-20T10:00:05.000Z' }), 'is kept'],
    ['has work left', { ...success, thread_pending: true }, 'not done yet'],
  ])('unless it %s', (_what, job, why) => {
    expect(refusal(job, remove)).toContain(why);
  });
});
