import { expect, it } from 'vitest';
import { askingStates, indexedState, statusKeys } from '../../../../lib/jobs/indexes/list-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { aJob, aRunningJob } from '../a-job.ts';

const due = '2026-11-20T11:00:00.000Z';
const open = { id: 'q_1', state: 'open', due } as const;
const parked = (reason: NonNullable<Job['parked']>) => aJob({ reason, parked: reason });

it.each<[Job, string]>([
  [aJob(), 'QUEUED'],
  [parked('usage_limit'), 'QUEUED-held'],
  [parked('account_required'), 'QUEUED-held'],
  [parked('folder_busy'), 'QUEUED-held'],
  [parked('profile_busy'), 'QUEUED-held'],
  [parked('waiting_for_thread'), 'QUEUED-parked'],
  [parked('thread_stopped'), 'QUEUED-parked'],
  [{ ...parked('question'), question: open }, 'QUEUED-question'],
  [parked('budget_reached'), 'QUEUED'],
  [aRunningJob(), 'RUNNING'],
  [aRunningJob({ question: open }), 'RUNNING-question'],
  [aRunningJob({ question: { ...open, state: 'answered' } }), 'RUNNING'],
  [aJob({ status: 'FAILED', reason: 'exited', parked: 'usage_limit' }), 'FAILED'],
])('a job that is $status, $parked, is listed as %s', (job, state) => {
  expect(indexedState(job)).toBe(state);
});

const statesOf = (keys: readonly string[]) => [...new Set(keys.map((key) => key.split('#')[0]))];

it('all states of a status are listed, or those that need a worker', () => {
  expect(statusKeys('FAILED')).toEqual(['FAILED#0', 'FAILED#1', 'FAILED#2', 'FAILED#3']);
  expect(statesOf(statusKeys('RUNNING'))).toEqual(['RUNNING', 'RUNNING-question']);
  expect(statesOf(statusKeys('QUEUED'))).toEqual(['QUEUED', 'QUEUED-held', 'QUEUED-parked', 'QUEUED-question']);
  expect(statesOf(statusKeys('QUEUED', 'ready'))).toEqual(['QUEUED']);
  expect(statesOf(statusKeys('QUEUED', 'ready_and_held'))).toEqual(['QUEUED', 'QUEUED-held']);
});

it('open questions are listed, of all jobs or of those in a status', () => {
  expect(askingStates()).toEqual(['QUEUED-question', 'RUNNING-question']);
  expect(askingStates('RUNNING')).toEqual(['RUNNING-question']);
  expect(askingStates('FAILED')).toEqual([]);
});
