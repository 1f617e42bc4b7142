import { expect, it } from 'vitest';
import { type Cause, jobIdOf } from '../../../../lib/jobs/lifecycle/cause.ts';
import { isJobId, randomJobId } from '../../../../lib/jobs/lifecycle/job-id.ts';

it('the id of a job is random, or follows from its cause and differs with each part of it', () => {
  const attempt = { kind: 'follow_up', job: 'job_a', attempt: 1, position: 0 } as const;
  const call = { kind: 'tool', job: 'job_a', round: 1, key: 'a' } as const;
  const message = { kind: 'message', job: 'job_a', message: 'm' } as const;
  const work = { kind: 'system', name: 'deploy', job: 'job_a', attempt: 1, key: 'a' } as const;
  const causes: Cause[] = [
    ...[attempt, { ...attempt, job: 'job_b' }, { ...attempt, attempt: 2 }, { ...attempt, position: 1 }],
    ...[call, { ...call, job: 'job_b' }, { ...call, round: 2 }, { ...call, key: 'b' }],
    ...[message, { ...message, job: 'job_b' }, { ...message, message: 'n' }],
    ...[work, { ...work, name: 'export' }, { ...work, attempt: 2 }, { ...work, key: 'b' }],
  ];
  const keyed = (key: string, owner: string) => jobIdOf({ kind: 'client', key }, owner);
  const ids = [...causes.map((cause) => jobIdOf(cause)), keyed('a', 'one'), keyed('b', 'one'), keyed('a', 'two')];
  const all = [...ids, randomJobId(), randomJobId()];
  expect(new Set(all).size).toBe(all.length);
  expect(all.filter((id) => !isJobId(id))).toEqual([]);
  const { kind, ...rest } = call;
  expect([jobIdOf({ ...rest, kind }), keyed('a', 'one')]).toEqual([jobIdOf(call), keyed('a', 'one')]);
});
