import type { Schemas } from '../../api/client.ts';
import type { SideRef } from '../queries/compare-address.ts';
import type { Job } from '../queries/job-query.ts';
import { type Attempt, attemptOf } from '../status/attempt-times.ts';

type Result = Schemas['JobResult'];

/** A compared attempt. */
export interface Side {
  /** The display name, such as `A` or `Attempt 2`. */
  readonly name: string;
  readonly job: Job;
  /** 0: the job has not run. */
  readonly attempt: number;
  /** Undefined: it has not run, or is older than the attempts that the job lists. */
  readonly record: Attempt | undefined;
  /** Undefined if it failed to load or is still loading. */
  readonly result: Result | undefined;
}

export function sideOf(name: string, job: Job, { attempt = job.attempt }: Pick<SideRef, 'attempt'>): Side {
  return { name, job, attempt, record: attemptOf(job, attempt), result: undefined };
}

/** The display names of two sides: by attempt if both are attempts of one job. */
export function sideNames(a: Job | undefined, b: Job | undefined, refs: readonly [SideRef, SideRef]): [string, string] {
  const [first, second] = [refs[0].attempt ?? a?.attempt, refs[1].attempt ?? b?.attempt];
  const isOneJob = refs[0].id === refs[1].id && first !== undefined && second !== undefined && first !== second;
  return isOneJob ? [`Attempt ${first}`, `Attempt ${second}`] : ['A', 'B'];
}
