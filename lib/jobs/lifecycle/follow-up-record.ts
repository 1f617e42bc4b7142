import { LIMITS } from '../../contract/limits.ts';
import { jobIdOf } from './cause.ts';
import { withoutEffect } from './effects.ts';
import type { Job } from './job.ts';

/** The result of creating an attempt's follow-up jobs. */
export interface MadeFollowUps {
  readonly attempt: number;
  /** Positions of the blocks whose jobs exist. */
  readonly positions: readonly number[];
  /** Why the other jobs were not created. */
  readonly warnings: readonly string[];
}

/** A job that the agent of a running attempt starts by a tool. */
export interface Delegation {
  readonly attempt: number;
  /** Its id. */
  readonly child: string;
  /** It works in the private folder of the job that starts it. */
  readonly sharesFolder?: boolean;
  /** It could not be created. */
  readonly undo?: boolean;
}

/** Ids of the jobs that a job has brought about: by tools, then by blocks, each in the order of the requests. */
export function followUpIds(job: Pick<Job, 'id' | 'follow_ups' | 'tool_children'>): string[] {
  return [...(job.tool_children ?? []), ...blockIds(job)];
}

function blockIds(job: Pick<Job, 'id' | 'follow_ups'>): string[] {
  return slotsOf(job).map((slot) => jobIdOf({ kind: 'follow_up', job: job.id, ...slot }));
}

/** The attempt and position of each request that became a follow-up job. */
export function slotsOf({ follow_ups = [] }: Pick<Job, 'follow_ups'>): { attempt: number; position: number }[] {
  return follow_ups.map((entry) => {
    const [attempt = 0, position = 0] = entry.split('.').map(Number);
    return { attempt, position };
  });
}

/** The job once an attempt's follow-up jobs exist. */
export function withFollowUps({ follow_ups, warnings, ...known }: Job, made: MadeFollowUps): Job {
  const job = withoutEffect(known, { name: 'follow_ups', attempt: made.attempt });
  const others = (follow_ups ?? []).filter((entry) => !entry.startsWith(`${made.attempt}.`));
  const all = [...others, ...made.positions.map((position) => `${made.attempt}.${position}`)].sort(byPlace);
  const kept = warningsAfter(warnings ?? [], made, made.attempt === job.attempt);
  return {
    ...job,
    ...(all.length > 0 && { follow_ups: all }),
    ...(kept.length > 0 && { warnings: [...kept] }),
  };
}

/**
 * The running job with a job that its agent starts by a tool, or without it, if it could not be created.
 * @param limit jobs that one job may bring about
 */
export function delegated(
  job: Job,
  { attempt, child, sharesFolder = false, undo = false }: Delegation,
  limit: number,
): { readonly job: Job } | { readonly rejected: string } {
  const known = job.tool_children ?? [];
  if (undo) {
    const { tool_children: _children, ...rest } = job;
    const kept = known.filter((id) => id !== child);
    return { job: kept.length === 0 ? rest : { ...rest, tool_children: kept } };
  }
  if (job.status !== 'RUNNING' || job.attempt !== attempt) return { rejected: 'the attempt is over' };
  if (job.cancel_requested_at !== undefined) return { rejected: 'the job is being cancelled' };
  const shared = sharesFolder ? { ...job, shares_folder: true } : job;
  if (known.includes(child)) return { job: job.shares_folder === shared.shares_folder ? job : shared };
  if (slotsOf(job).length + known.length >= limit)
    return { rejected: `a job brings about at most ${limit} jobs, by tools and follow-up blocks` };
  return { job: { ...shared, tool_children: [...known, child] } };
}

/** Those of the newest attempt are replaced, and those of the attempts that it continued are added. */
function warningsAfter(known: readonly string[], made: MadeFollowUps, isNewest: boolean): readonly string[] {
  const all = isNewest
    ? [...made.warnings, ...known.filter((warning) => OF_EARLIER.test(warning))]
    : [...known, ...made.warnings.map((warning) => `attempt ${made.attempt}, ${warning}`)];
  return [...new Set(all)].slice(0, LIMITS.warnings.count);
}

const OF_EARLIER = /^attempt \d+, /;

function byPlace(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
