import { describe, expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { awaitsTurn, inItsTurn, lacksCopy } from '../../../../lib/jobs/lifecycle/thread.ts';
import { aJob, aRunningJob } from '../a-job.ts';
import { AT, next, refusal } from './decided.ts';

const IN_THREAD = { reason: 'waiting_for_thread', parked: 'waiting_for_thread' } as const;
const STOPPED = { reason: 'thread_stopped', parked: 'thread_stopped' } as const;
const awaiting = aJob({ continues: 'job_first', thread_id: 'job_first', ...IN_THREAD });

describe('a thread begins with a job', () => {
  const begin: JobEvent = { type: 'begin_thread' };

  it('once', () => {
    const first = next(aJob(), begin);
    expect(first).toEqual({ ...aJob(), thread_id: aJob().id, turn: 1, updated_at: AT });
    expect(next(first, begin)).toBe(first);
  });

  it.each<[string, Partial<Job>, string]>([
    ['is a draft', { status: 'DRAFT', reason: 'draft' }, 'a draft'],
    ['is being removed', { status: 'FAILED', reason: 'exited', removing: true }, 'being removed'],
  ])('not if it %s', (_what, state, why) => {
    expect(refusal(aJob(state), begin)).toContain(why);
  });
});

describe('a job gets its turn', () => {
  const take = { type: 'take_turn', turn: 2, afterEnd: false } as const;

  it('and is ready if it waits for no other', () => {
    const { parked: _parked, ...ready } = awaiting;
    const expected = { ...ready, reason: 'waiting_for_worker', turn: 2, updated_at: AT };
    expect(next(awaiting, take)).toEqual(expected);
    expect(next(awaiting, { ...take, afterEnd: true })).toEqual({ ...expected, after_any: true });
  });

  it('and waits for another turn to end, or to be retried', () => {
    const taken = next(awaiting, { ...take, wait: { job: 'job_first', stopped: false } });
    expect(taken).toMatchObject({ ...IN_THREAD, turn: 2, waits_for: 'job_first' });
    const stopped = next(awaiting, { ...take, wait: { job: 'job_first', stopped: true } });
    expect(stopped).toMatchObject({ ...STOPPED, turn: 2, waits_for: 'job_first' });
  });

  it.each<[string, Job]>([
    ['has one', { ...awaiting, turn: 2 }],
    ['waits for none', aJob()],
    ['waits for something else', aJob({ reason: 'usage_limit', parked: 'usage_limit' })],
    ['does not wait', { ...awaiting, status: 'CANCELLED', reason: 'cancelled_by_request' }],
  ])('unless it %s', (_what, job) => {
    expect(awaitsTurn(job)).toBe(false);
    expect(refusal(job, take)).toContain('does not wait for its turn');
  });
});

describe('a turn waits for another one', () => {
  const wait = { type: 'wait_for_thread', wait: { job: 'job_first', stopped: false } } as const;
  const stop = { ...wait, wait: { job: 'job_first', stopped: true } } as const;
  const turn = aJob({ thread_id: 'job_first', turn: 2 });

  it.each<[string, Job, string, JobEvent?]>([
    ['runs', { ...aRunningJob(), turn: 2 }, 'not claimable'],
    ['waits for something else', { ...turn, reason: 'usage_limit', parked: 'usage_limit' }, 'not claimable'],
    ['has no turn', awaiting, 'no turn yet'],
    ['starts however the others end', { ...turn, after_any: true }, 'however others end', stop],
  ])('not if it %s', (_what, job, why, event = wait) => {
    expect(refusal(job, event)).toContain(why);
  });
});

describe('a fork', () => {
  const copied = { type: 'fork_copied', attempt: 1 } as const;
  const fork = aRunningJob({ forked_from: 'job_first', folder: 'the copied one' });

  it('gives up the folder that it has copied, once', () => {
    const { folder: _folder, ...alone } = fork;
    const made = next(fork, copied);
    expect(made).toEqual({ ...alone, copied_by: 1, updated_at: AT });
    expect(next({ ...made, folder: 'its own' }, copied)).toHaveProperty('folder');
    expect([lacksCopy(fork), lacksCopy(made), lacksCopy(aRunningJob())]).toEqual([true, false, false]);
  });
});

describe('a job that continues another one first gets its turn', () => {
  const { parked: _parked, ...queued } = { ...awaiting, reason: 'waiting_for_worker' } as const;

  it('when it is created, submitted or retried', () => {
    expect(inItsTurn(queued)).toEqual(awaiting);
    const draft = { ...queued, status: 'DRAFT', reason: 'draft' } as const;
    expect(inItsTurn(draft)).toBe(draft);
    expect(next(draft, { type: 'submit' })).toMatchObject({ status: 'QUEUED', ...IN_THREAD, queued_at: AT });
    const cancelled = { ...queued, status: 'CANCELLED', reason: 'cancelled_by_request' } as const;
    expect(next(cancelled, { type: 'retry' })).toMatchObject(IN_THREAD);
  });

  it('and starts however the others ended, once a client submits it', () => {
    const stopped = aJob({ ...STOPPED, turn: 2, waits_for: 'job_first' });
    const { parked: _stopped, waits_for: _waits, ...ready } = stopped;
    expect(next(stopped, { type: 'submit' })).toEqual({
      ...{ ...ready, reason: 'waiting_for_worker', after_any: true, updated_at: AT },
    });
    expect(refusal(awaiting, { type: 'submit' })).toContain('only a draft');
  });
});
