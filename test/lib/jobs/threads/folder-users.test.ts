import { describe, expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { isFolderUnused } from '../../../../lib/jobs/threads/folder-users.ts';
import { aJob } from '../a-job.ts';
import { anEnded, knownThreads } from './known-threads.ts';

const OWNER = 'job_owner';
const BEFORE = '2026-02-01T00:00:00.000Z';
const owner = anEnded(OWNER, { thread_id: OWNER, turn: 1, tool_children: ['job_child'] });
const inFolder = { folder_of: OWNER };

/** The folder of a job with a second turn and a child, as given. */
const unused = async (jobs: Record<string, Job | 'newer'>, options?: Parameters<typeof isFolderUnused>[3]) =>
  await isFolderUnused(
    knownThreads({ jobs: { [OWNER]: owner, ...jobs }, threads: { [OWNER]: [OWNER, 'job_turn'] } }),
    owner,
    BEFORE,
    options,
  );

describe('a private folder is unused', () => {
  it.each<[isUnused: boolean, what: string, jobs: Record<string, Job | 'newer'>]>([
    [true, 'only its owner is left, which ended long ago', {}],
    [
      true,
      'its turn and child ended long ago',
      { job_turn: anEnded('job_turn', inFolder), job_child: anEnded('job_child', inFolder) },
    ],
    [false, 'a turn waits', { job_turn: aJob({ id: 'job_turn', ...inFolder }) }],
    [false, 'a child waits', { job_child: aJob({ id: 'job_child', ...inFolder }) }],
    [true, 'a turn with another folder waits', { job_turn: aJob({ id: 'job_turn' }) }],
    [true, 'a child with another folder waits', { job_child: aJob({ id: 'job_child', folder_of: 'job_other' }) }],
    [false, 'only a later version can read its turn', { job_turn: 'newer' }],
    [false, 'only a later version can read its child', { job_child: 'newer' }],
  ])('%s, if %s', async (isUnused, _, jobs) => {
    expect(await unused(jobs)).toBe(isUnused);
  });

  it('not while a child of its child waits, or a turn of the thread of that', async () => {
    const child = anEnded('job_child', { ...inFolder, tool_children: ['job_grandchild'], thread_id: 'job_child' });
    const waits = (id: string) => aJob({ id, ...inFolder });
    expect(await unused({ job_child: child, job_grandchild: waits('job_grandchild') })).toBe(false);
    const jobs = { [OWNER]: owner, job_child: child, job_next: waits('job_next') };
    const known = knownThreads({ jobs, threads: { [OWNER]: [OWNER], job_child: ['job_child', 'job_next'] } });
    expect(await isFolderUnused(known, owner, BEFORE)).toBe(false);
  });

  it('not while a fork has to copy it', async () => {
    const fork = aJob({ id: 'job_fork', forked_from: OWNER, forked_attempt: 1 });
    const known = (forks: readonly string[]) =>
      knownThreads({
        jobs: { [OWNER]: owner, [fork.id]: fork },
        threads: { [OWNER]: [OWNER] },
        forks: { [OWNER]: forks },
      });
    expect(await isFolderUnused(known([]), owner, BEFORE)).toBe(true);
    expect(await isFolderUnused(known([fork.id]), owner, BEFORE)).toBe(false);
  });
});
