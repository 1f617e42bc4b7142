import { expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { whenCommandsAct } from '../../../../lib/jobs/threads/commands-turn.ts';
import type { TurnWithJob } from '../../../../lib/jobs/threads/read-thread.ts';
import { aJob, aRunningJob } from '../a-job.ts';
import { anEnded, knownThreads, turnsWith } from './known-threads.ts';

const first = anEnded('job_1', { turn: 1 });
const waiting = aJob({ id: 'job_2' });
const fork = aJob({ id: 'job_fork', forked_from: 'job_1', forked_attempt: 1 });
const forked = { jobs: { [fork.id]: fork }, forks: { job_1: [fork.id] } };

it.each<[when: string, what: string, job: Job, turns: readonly TurnWithJob['job'][], isForked?: boolean]>([
  ['now', 'it is alone', first, [first]],
  ['later', 'a fork has to copy the folder', first, [first], true],
  ['later', 'the next turn waits for a worker', first, [first, waiting]],
  [
    'later',
    'only a later version can read the next turn',
    first,
    [first, { ...waiting, status: 'PAUSED' as Job['status'] }],
  ],
  ['now', 'the next turn waits for a person', first, [first, aJob({ id: 'job_2', parked: 'thread_stopped' })]],
  ['now', 'the next turn was cancelled before it began', first, [first, anEnded('job_2', { attempt: 0 })]],
  ['never', 'the next turn has begun', first, [first, aRunningJob({ id: 'job_2' })]],
  [
    'never',
    'the next turn has begun, and a fork has to copy the folder',
    first,
    [first, aRunningJob({ id: 'job_2' })],
    true,
  ],
  ['never', 'it failed', { ...first, status: 'FAILED' }, [first]],
  ['never', 'it is retried', { ...first, status: 'QUEUED' }, [first]],
  ['now', 'a turn before it is retried', anEnded('job_2', { turn: 2 }), [aJob({ id: 'job_1' }), anEnded('job_2')]],
])('the commands of a job act %s, if %s', async (when, _, job, turns, isForked = false) => {
  const known = knownThreads(isForked ? forked : {});
  expect(await whenCommandsAct(known, job, turnsWith(...turns))).toBe(when);
});

it('the thread of the job is read if its turns are not known', async () => {
  const turns = { threads: { job_1: ['job_1', 'job_2'] }, jobs: { job_1: first, job_2: waiting } };
  expect(await whenCommandsAct(knownThreads(turns), { ...first, thread_id: 'job_1' })).toBe('later');
});
