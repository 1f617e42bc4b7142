import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { delegated, followUpIds, slotsOf } from '../../../../lib/jobs/lifecycle/follow-up-record.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { followUpId } from '../../../../lib/jobs/lifecycle/job-id.ts';
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

  it('is forgotten if it could not be created', () => {
    const { tool_children: _none, ...alone } = aRunningJob({ tool_children: ['job_child'] });
    expect(recorded({ ...alone, tool_children: ['job_child'] }, { undo: true })).toEqual({ job: alone });
    const others = recorded({ ...alone, tool_children: ['job_other', 'job_child'] }, { undo: true });
    expect(others).toEqual({ job: { ...alone, tool_children: ['job_other'] } });
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

  it('is complete once they exist, in their order', () => {
    const pending = { ...job, children_pending: [1, 2], follow_ups: ['1.0', '2.7'], warnings: ['old'] };
    expect(next(pending, made)).toMatchObject({
      ...{ children_pending: [1], follow_ups: ['1.0', '2.2', '2.10'], warnings: ['follow-up 3: no'], updated_at: AT },
    });
    const none = next({ ...job, children_pending: [2] }, { ...made, positions: [], warnings: [] });
    for (const name of ['children_pending', 'follow_ups', 'warnings']) expect(none).not.toHaveProperty(name);
  });

  it('that says the same again changes nothing', () => {
    const known = next(job, made);
    expect(next(known, made)).toBe(known);
  });

  it('keeps what the attempts before the newest are warned of, up to a limit', () => {
    const earlier = next({ ...job, attempt: 3, warnings: ['mine'] }, made);
    expect(earlier.warnings).toEqual(['mine', 'attempt 2, follow-up 3: no']);
    const newest = next(earlier, { ...made, attempt: 3, warnings: ['other'] });
    expect(newest.warnings).toEqual(['other', 'attempt 2, follow-up 3: no']);
    const many = Array.from({ length: LIMITS.warnings.count + 5 }, (_, n) => `follow-up ${n}: no`);
    expect(next(job, { ...made, warnings: many }).warnings).toHaveLength(LIMITS.warnings.count);
  });

  it('names each by its attempt and position', () => {
    const parent = { id: 'job_parent', follow_ups: ['1.0', '2.10'], tool_children: ['job_tool'] };
    expect(slotsOf(parent)).toEqual([
      { attempt: 1, position: 0 },
      { attempt: 2, position: 10 },
    ]);
    expect(followUpIds(parent)).toEqual(['job_tool', followUpId('job_parent', 1, 0), followUpId('job_parent', 2, 10)]);
    const ids = [followUpId('job_parent', 1, 0), followUpId('job_parent', 2, 0), followUpId('job_parent', 1, 1)];
    expect(new Set(ids).size).toBe(3);
  });
});
