import { describe, expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import {
  begunAfter,
  endedBefore,
  isThreadOver,
  pendingFork,
  type TurnWithJob,
  turnsOf,
  waitInThread,
} from '../../../../lib/jobs/threads/read-thread.ts';
import { aJob, aRunningJob } from '../a-job.ts';
import { aDeployment, anEnded, knownThreads, turnsWith } from './known-threads.ts';

const [FIRST, SECOND] = ['job_1', 'job_2'];
const next = aJob({ id: SECOND });
const failed = anEnded(FIRST, { status: 'FAILED' });
const fork = aJob({ id: 'job_fork', forked_from: FIRST, forked_attempt: 1 });

it('a job that is in no thread has no turns, and none are read', async () => {
  const known = knownThreads({});
  expect(await turnsOf(known, {})).toEqual([]);
  expect(known.reads).toEqual([]);
});

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

  it('waits for a command that works in the folder, and for the copy of a fork', async () => {
    const first = anEnded(FIRST, { bindings_pending: [1] });
    const forked = { forks: { [FIRST]: [fork.id] }, jobs: { [fork.id]: fork } };
    const turns = turnsWith(first, next);
    const waits = async (known: Parameters<typeof knownThreads>[0]) =>
      await waitInThread(knownThreads(known), turns, { turn: 2 });
    expect(await waits({ ...forked, deployments: [aDeployment()] })).toEqual({ job: FIRST, stopped: false });
    expect(await waits({ ...forked, deployments: [aDeployment({ state: 'succeeded' })] })).toEqual({
      job: fork.id,
      stopped: false,
    });
    expect(await waits({})).toBeUndefined();
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

  it('is of no job that is in no thread', async () => {
    expect(await pendingFork(knownThreads({}), [])).toBeUndefined();
  });
});

it.each<[begun: boolean, what: string, job: TurnWithJob['job']]>([
  [true, 'has begun', aRunningJob({ id: SECOND })],
  [true, 'may have begun for a later version', 'newer'],
  [false, 'waits', next],
  [false, 'was removed', undefined],
])('the turns before another one are settled: %s, if that %s', (begun, _, job) => {
  expect(begunAfter(turnsWith(anEnded(FIRST), job), 1)?.turn).toBe(begun ? 2 : undefined);
  expect(begunAfter(turnsWith(anEnded(FIRST), job), 2)).toBeUndefined();
});

it.each<[over: boolean, what: string, job: Job]>([
  [true, 'ended before', anEnded(FIRST)],
  [false, 'ended then', anEnded(FIRST, { finished_at: '2026-01-02T00:00:00.000Z' })],
  [
    true,
    'has no time of its end, but of its last change',
    anEnded(FIRST, { finished_at: undefined, updated_at: '2026' }),
  ],
  [false, 'has changed since', anEnded(FIRST, { finished_at: undefined, updated_at: '2027' })],
  [false, 'waits for another attempt', anEnded(FIRST, { status: 'QUEUED' })],
])('a job ended before a time: %s, if it %s', async (over, _, job) => {
  const before = '2026-01-02T00:00:00.000Z';
  expect(endedBefore(job, before)).toBe(over);
  expect(await isThreadOver(knownThreads({}), turnsWith(anEnded('job_0'), job), before)).toBe(over);
});

it('a thread is not over while a fork has to copy from it, or a later version has a turn of it', async () => {
  const before = '2026-02-01T00:00:00.000Z';
  const forked = knownThreads({ forks: { [FIRST]: [fork.id] }, jobs: { [fork.id]: fork } });
  expect(await isThreadOver(knownThreads({}), turnsWith(anEnded(FIRST), undefined), before)).toBe(true);
  expect(await isThreadOver(forked, turnsWith(anEnded(FIRST)), before)).toBe(false);
  expect(await isThreadOver(knownThreads({}), turnsWith(anEnded(FIRST), 'newer'), before)).toBe(false);
});
