import type { Job } from './job.ts';
import { followUpId } from './job-id.ts';
import type { Receipt } from './receipt.ts';

/** What came of the follow-up jobs that an attempt asked for. */
export interface MadeFollowUps {
  readonly attempt: number;
  /** Positions of the blocks whose jobs are there. */
  readonly positions: readonly number[];
  /** Why others are not. */
  readonly warnings: readonly string[];
}

/** Ids of a job's follow-up jobs, in the order in which they were asked for. */
export function followUpIds(job: Pick<Job, 'id' | 'follow_ups'>): string[] {
  return slotsOf(job).map(({ attempt, position }) => followUpId(job.id, attempt, position));
}

/** Where a job's follow-up jobs were asked for. */
export function slotsOf({ follow_ups = [] }: Pick<Job, 'follow_ups'>): { attempt: number; position: number }[] {
  return follow_ups.map((place) => {
    const [attempt = 0, position = 0] = place.split('.').map(Number);
    return { attempt, position };
  });
}

/** The job after an attempt that asked for follow-up jobs: they are still to be made. */
export function withPendingChildren(job: Job, { attempt, follow_ups }: Receipt): Job {
  if (follow_ups === undefined) return job;
  return { ...job, children_pending: [...(job.children_pending ?? []), attempt] };
}

/** The job once the follow-up jobs of an attempt are there. */
export function withFollowUps({ children_pending, follow_ups, warnings, ...job }: Job, made: MadeFollowUps): Job {
  const pending = (children_pending ?? []).filter((attempt) => attempt !== made.attempt);
  const others = (follow_ups ?? []).filter((place) => !place.startsWith(`${made.attempt}.`));
  const all = [...others, ...made.positions.map((position) => `${made.attempt}.${position}`)].sort(byPlace);
  const kept = made.attempt === job.attempt ? made.warnings : (warnings ?? []);
  return {
    ...job,
    ...(pending.length > 0 && { children_pending: pending }),
    ...(all.length > 0 && { follow_ups: all }),
    ...(kept.length > 0 && { warnings: [...kept] }),
  };
}

function byPlace(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
