import { describe, expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { pendingFork, type TurnWithJob, waitInThread } from '../../../../lib/jobs/threads/read-thread.ts';
import { aJob, aRunningJob } from '../a-job.ts';
import { anEnded, knownThreads, turnsWith } from './known-threads.ts';

const [FIRST, SECOND] = ['job_1', 'job_2'];
const next = aJob({ id: SECOND });
const failed = anEnded(FIRST, { status: 'FAILED' });
const fork = aJob({ id: 'job_fork', forked_from: FIRST, forked_attempt: 1 });

describe('the second turn of a thread', () => {
  type Wait = Awaited<ReturnType<typeof waitInThread>>;
  it.each<[waits: Wait, what: string, jobs: readonly TurnWithJob['job'][], afterAny?: boolean]>([
    [undefined, 'a first one that succeeded', [anEnded(FIRST), next]],
    [undefined, 'a first one that was removed', [undefined, next]],
    [{ job: FIRST, stopped: false }, 'a first one that waits', [aJob({ id: FIRST }), next]],
    [{ job: FIRST, stopped: false }, 'a first one that only a later version can read', ['newer', next]],
    [{ job: FIRST, stopped: true }, 'a first one that failed', [failed, next]],
    [undefined, 'a first one that failed, if it may follow any end', [failed, next], true],
    [undefined, 'what runs as the turn itself', [anEnded(FIRST), aRunningJob({ id: SECOND })]],
    [undefined, 'a third one that waits', [anEnded(FIRST), next, aJob({ id: 'job_3' })]],
    [{ job: 'job_3', stopped: false }, 'a third one that runs', [anEnded(FIRST), next, aRunningJob({ id: 'job_3' })]],
    [{ job: 'job_3', stopped: false }, 'a third one that may run for a later version', [anEnded(FIRST), next, 'newer']],
  ])('waits for %o: there is %s', async (waits, _, jobs, after_any) => {
    expect(await waitInThread(knownThreads({}), turnsWith(...jobs), { turn: 2, after_any })).toEqual(waits);
  });
});

describe('a fork whose copy is missing', () => {
  it.each<[isPending: boolean, what: string, fork: Job | 'newer' | undefined]>([
    [true, 'waits', fork],
    [true, 'runs', { ...fork, status: 'RUNNING' }],
    [true, 'is one that only a later version can read', 'newer'],
    [false, 'has its copy', { ...fork, status: 'RUNNING', copied_by: 1 }],
    [false, 'was cancelled', { ...fork, status: 'CANCELLED' }],
    [false, 'was removed', undefined],
  ])('keeps the thread that it forks: %s, if it %s', async (isPending, _, job) => {
    const known = { forks: { [FIRST]: [fork.id] }, ...(job && { jobs: { [fork.id]: job } }) };
    const found = await pendingFork(knownThreads(known), [{ jobId: FIRST }]);
    expect(found).toBe(isPending ? fork.id : undefined);
  });
});
