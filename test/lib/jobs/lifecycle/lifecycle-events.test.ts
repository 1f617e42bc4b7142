import { describe, expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { aJob, aReceipt, aRunningJob } from '../a-job.ts';
import { AT, next, refusal } from './decided.ts';

const DUE = '2026-11-20T11:00:00.000Z';
const AFTER_DUE = Date.parse(DUE) + 1;
const question = { id: 'q_1', state: 'open', due: DUE } as const;

describe('what only a later version understands', () => {
  it('is not decided on, but the end of an attempt is', () => {
    const later = aRunningJob({ reason: 'warming_up' });
    expect(refusal(later, { type: 'cancel' })).toContain('a newer version');
    const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' });
    expect(next(later, { type: 'end', receipt })).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('a job that waits', () => {
  it.each<[string, Partial<Job>, boolean]>([
    ['now', {}, true],
    ['later', { due_at: DUE }, false],
    ['for its vendor', { reason: 'usage_limit', parked: 'usage_limit' }, false],
    ['no longer', { status: 'RUNNING', reason: 'running' }, false],
  ])('may have to wait for its profile, if it could start: %s', (_when, state, may) => {
    const refused = refusal(aJob(state), { type: 'wait', gate: { kind: 'profile', key: 'practice' } });
    expect(refused).toBe(may ? undefined : 'the job is not claimable');
  });

  it.each<[Job['parked'], Partial<Job>, boolean]>([
    ['folder_busy', { priority: 5 }, true],
    ['usage_limit', { priority: 5 }, false],
    ['usage_limit', { profile: 'practice' }, false],
    ['usage_limit', { profile: 'other' }, true],
    ['thread_stopped', { profile: 'other' }, false],
    ['question', { priority: 5 }, true],
  ])('for %s is checked again after an edit of %o: %s', (parked, changes, isQueued) => {
    const job = aJob({ reason: 'usage_limit', parked, due_at: DUE });
    const edited = next(job, { type: 'edit', changes } as JobEvent);
    expect(edited.parked).toBe(isQueued ? undefined : parked);
    expect(edited).toMatchObject(changes);
  });
});

describe('a question', () => {
  const asking = aRunningJob({ question });

  it('is asked only by the attempt that runs', () => {
    const again: JobEvent = { type: 'ask', attempt: 1, question: { id: 'q_2', due: DUE } };
    const withdraw: JobEvent = { type: 'withdraw', attempt: 1, id: 'q_1' };
    const waiting = aJob({ attempt: 1, question });
    for (const event of [again, withdraw]) expect(refusal(waiting, event)).toBe('the attempt is over');
  });

  it('that is answered or expires while its agent waits changes nothing else', () => {
    const answered = next(asking, { type: 'answer', id: 'q_1', answer: 'row' });
    expect(answered).toEqual({
      ...asking,
      question: { ...question, state: 'answered', answer: 'row' },
      updated_at: AT,
    });
    const expired = next(asking, { type: 'expire', id: 'q_1' }, AFTER_DUE);
    expect(expired).toMatchObject({ status: 'RUNNING', reason: 'running', question: { state: 'expired' } });
  });
});

it.each<[string, Job, JobEvent, string]>([
  ['a running job', aRunningJob(), { type: 'correct', attempt: 1, evidence: {} }, 'an attempt is running'],
  [
    'an earlier attempt',
    aJob({ status: 'FAILED', reason: 'exited', attempt: 2 }),
    { type: 'correct', attempt: 1, evidence: {} },
    'attempt 2 has taken over',
  ],
])('what an attempt left is not corrected for %s', (_what, job, event, why) => {
  expect(refusal(job, event)).toBe(why);
});
