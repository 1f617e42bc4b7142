import { describe, expect, it } from 'vitest';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import { suffixOf } from '../../../../lib/jobs/indexes/list-keys.ts';
import { readyOrder } from '../../../../lib/jobs/indexes/ready-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { aJob, aRunningJob } from '../a-job.ts';

const ENDED = '2026-11-20T10:00:05.000Z';
const ended = aJob({
  status: 'SUCCEEDED',
  reason: 'exited',
  finished_at: ENDED,
  updated_at: '2026-11-20T10:00:09.000Z',
});
const placeOf = (job: Job) => {
  const { ready_key, ready_order } = indexKeys(job);
  return ready_key === undefined ? undefined : [ready_key, ready_order];
};

describe('what a job has left to do is found', () => {
  it.each<[string, Partial<Job>, string | undefined]>([
    ['follow-up jobs', { children_pending: [1] }, 'pending#children'],
    ['messages', { messages_pending: true }, 'pending#messages'],
    ['other turns', { thread_pending: true }, 'pending#threads'],
    ['deployments', { bindings_pending: [1] }, 'pending#bindings'],
    ['deployments that wait for its thread', { bindings_pending: [1], commands_held: true }, undefined],
    ['nothing', {}, undefined],
  ])('once it has ended: %s', (_what, pending, key) => {
    expect(placeOf({ ...ended, ...pending })).toEqual(key && [key, ENDED]);
    const { finished_at: _end, ...undated } = { ...ended, ...pending };
    expect(placeOf(undated)).toEqual(key && [key, ended.updated_at]);
    expect(placeOf(aRunningJob(pending))).toBeUndefined();
  });

  it('in this order: follow-up jobs, messages, other turns, deployments', () => {
    const all = { children_pending: [1], messages_pending: true, thread_pending: true, bindings_pending: [1] };
    const { children_pending: _children, ...messages } = all;
    const { messages_pending: _messages, ...turns } = messages;
    expect([all, messages, turns].map((pending) => placeOf({ ...ended, ...pending })?.[0])).toEqual([
      ...['pending#children', 'pending#messages', 'pending#threads'],
    ]);
  });
});

describe('a job that waits is found', () => {
  const due_at = '2026-11-20T11:00:00.000Z';
  const parked = (reason: NonNullable<Job['parked']>, more: Partial<Job> = {}) =>
    placeOf(aJob({ reason, parked: reason, ...more }));

  it('by workers, in the partition of its band and project', () => {
    expect(placeOf(aJob())).toEqual(['normal#local_project', readyOrder(aJob())]);
  });

  it('by what it is parked for', () => {
    const best = readyOrder(aJob());
    expect(parked('usage_limit', { due_at })).toEqual(['parked#usage_limit', due_at]);
    expect(parked('account_required')).toEqual(['parked#account_required', aJob().updated_at]);
    expect(parked('folder_busy', { folder: 'f' })).toEqual(['parked#folder#f', best]);
    expect(parked('profile_busy')).toEqual(['parked#profile#practice', best]);
    expect(parked('question', { due_at })).toEqual(['parked#question', due_at]);
    expect(parked('budget_reached', { due_at })).toEqual(['parked#budget_reached', due_at]);
  });

  it.each(['waiting_for_thread', 'thread_stopped'] as const)('in its thread once it has its turn: %s', (reason) => {
    expect(parked(reason, { thread_id: 't', turn: 12 })).toEqual(['parked#thread#t', '00000012']);
    expect(parked(reason, { turn: 12 })?.[0]).toBe(`parked#thread#${aJob().id}`);
    expect(parked(reason, { thread_id: 't' })).toEqual(['pending#threads', aJob().updated_at]);
  });
});

it('a job is listed by time, and by its status unless it has succeeded', () => {
  const suffix = suffixOf(aJob());
  expect(indexKeys(aRunningJob())).toEqual({ list_key: `jobs#${suffix}`, status_key: `RUNNING#${suffix}` });
  expect(indexKeys(ended)).toEqual({ list_key: `jobs#${suffix}` });
});
