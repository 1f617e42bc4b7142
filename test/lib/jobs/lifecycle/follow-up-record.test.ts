import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { delegated } from '../../../../lib/jobs/lifecycle/follow-up-record.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { aJob, aRunningJob } from '../a-job.ts';
import { AT, next } from './decided.ts';

const start = { attempt: 1, child: 'job_child' };

describe('a job that an agent starts by a tool', () => {
  const recorded = (job: Job, more: Partial<Parameters<typeof delegated>[1]> = {}, limit = 3) =>
    delegated(job, { ...start, ...more }, limit);

  it('is recorded on its parent, with the folder that they share', () => {
    const alone = aRunningJob();
    expect(recorded(alone)).toEqual({ job: { ...alone, tool_children: ['job_child'] } });
    expect(recorded(alone, { sharesFolder: true })).toEqual({
      job: { ...alone, tool_children: ['job_child'], shares_folder: true },
    });
  });

  it('is recorded once, with what a later try adds', () => {
    const known = aRunningJob({ tool_children: ['job_child'] });
    expect(recorded(known)).toEqual({ job: known });
    const sharing = { ...known, shares_folder: true };
    expect(recorded(known, { sharesFolder: true })).toEqual({ job: sharing });
    const again = recorded(sharing, { sharesFolder: true });
    expect('job' in again && again.job).toBe(sharing);
  });

  it.each<[string, Job, string]>([
    ['of a later attempt', aRunningJob({ attempt: 2 }), 'the attempt is over'],
    ['of a job that waits', aJob({ attempt: 1 }), 'the attempt is over'],
    ['of a job that is being cancelled', aRunningJob({ cancel_requested_at: AT }), 'being cancelled'],
    ['beyond the limit', aRunningJob({ tool_children: ['a'], follow_ups: ['1.0', '1.1'] }), 'at most 3 jobs'],
  ])('is refused to an agent %s', (_what, job, why) => {
    expect(recorded(job)).toEqual({ rejected: expect.stringContaining(why) });
  });
});

describe('the record of follow-up jobs', () => {
  const made = { type: 'follow_up', attempt: 2, positions: [10, 2], warnings: ['follow-up 3: no'] } as const;
  const job = aJob({ status: 'SUCCEEDED', reason: 'exited', attempt: 2 });

  it('keeps what the attempts before the newest are warned of, up to a limit', () => {
    const earlier = next({ ...job, attempt: 3, warnings: ['mine'] }, made);
    expect(earlier.warnings).toEqual(['mine', 'attempt 2, follow-up 3: no']);
    const newest = next(earlier, { ...made, attempt: 3, warnings: ['other'] });
    expect(newest.warnings).toEqual(['other', 'attempt 2, follow-up 3: no']);
    const many = Array.from({ length: LIMITS.warnings.count + 5 }, (_, n) => `follow-up ${n}: no`);
    expect(next(job, { ...made, warnings: many }).warnings).toHaveLength(LIMITS.warnings.count);
  });
});
