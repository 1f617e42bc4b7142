import { expect, it } from 'vitest';
import {
  followUpId,
  isJobId,
  jobIdOfKey,
  messageJobId,
  randomJobId,
  toolJobId,
} from '../../../../lib/jobs/lifecycle/job-id.ts';

it('the id of a job is new, or the same for the same origin, and differs with each part of it', () => {
  const ids = [
    randomJobId(),
    randomJobId(),
    jobIdOfKey('a'),
    jobIdOfKey('b'),
    followUpId('job_a', 1, 0),
    followUpId('job_b', 1, 0),
    followUpId('job_a', 2, 0),
    followUpId('job_a', 1, 1),
    toolJobId('job_a', 1, 'a'),
    toolJobId('job_b', 1, 'a'),
    toolJobId('job_a', 2, 'a'),
    toolJobId('job_a', 1, 'b'),
    messageJobId('job_a', 'm'),
    messageJobId('job_b', 'm'),
    messageJobId('job_a', 'n'),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !isJobId(id))).toEqual([]);
  expect([jobIdOfKey('a'), followUpId('job_a', 1, 0), toolJobId('job_a', 1, 'a'), messageJobId('job_a', 'm')]).toEqual([
    ids[2],
    ids[4],
    ids[8],
    ids[12],
  ]);
});
