import { expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { conversationBefore } from '../../../../lib/jobs/threads/conversation.ts';
import { aJob } from '../a-job.ts';
import { anEnded, knownThreads } from './known-threads.ts';

const source = anEnded('job_source', { attempt: 3 });
const fork = aJob({ id: 'job_fork', forked_from: 'job_source', forked_attempt: 2, thread_id: 'job_fork', turn: 1 });
const threads = { job_fork: ['job_fork', 'job_lost', 'job_later', 'job_turn'] };
const turn = aJob({ id: 'job_turn', continues: 'job_fork', thread_id: 'job_fork', turn: 4 });

/** The ids and attempts of a conversation. */
const before = async (job: Job, jobs: Record<string, Job | 'newer'>) =>
  (await conversationBefore(knownThreads({ threads, jobs }), job))?.map((one) => [one.job.id, one.attempt]);

it('a job alone begins a conversation', async () => {
  expect(await before(aJob(), {})).toBeUndefined();
});

it('a fork has the conversation of its source up to the forked attempt, though that is in no thread', async () => {
  const { forked_attempt: _unknown, ...older } = fork;
  expect(await before(fork, { job_source: source })).toEqual([['job_source', 2]]);
  expect(await before(older, { job_source: source })).toEqual([['job_source', 3]]);
});

it('a turn has that of the turns before it which can be read, and of what its thread forks', async () => {
  const jobs = { job_source: source, job_fork: { ...fork, attempt: 1 }, job_later: 'newer', job_turn: turn } as const;
  expect(await before(turn, jobs)).toEqual([
    ['job_source', 2],
    ['job_fork', 1],
  ]);
});

it.each<[what: string, jobs: Record<string, 'newer'>]>([
  ['was removed', {}],
  ['only a later version can read', { job_source: 'newer' }],
])('a conversation begins after a source that %s', async (_, jobs) => {
  expect(await before(fork, jobs)).toEqual([]);
});
