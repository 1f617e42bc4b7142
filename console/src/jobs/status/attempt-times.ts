import type { components } from '../../../../lib/client/api-types.ts';

export type Attempt = components['schemas']['JobAttempt'];
type Job = components['schemas']['Job'];

/** How long an attempt waited for its start. */
export interface Wait {
  readonly ms: number;
  /** If the time of queueing was not recorded: the attempt whose end the wait is measured from. */
  readonly sinceAttempt?: number;
}

/** The record of an attempt; undefined if it is older than those that the service lists. */
export function attemptOf({ attempts }: Pick<Job, 'attempts'>, attempt: number): Attempt | undefined {
  return attempts?.find((one) => one.attempt === attempt);
}

/** @returns undefined if no record shows it. The job stores only the time at which it was last queued. */
export function waitOf(job: Pick<Job, 'attempts' | 'queued_at'>, attempt: number): Wait | undefined {
  const startedAt = attemptOf(job, attempt)?.started_at ?? null;
  if (startedAt === null) return undefined;
  const before = attemptOf(job, attempt - 1)?.finished_at ?? null;
  const { queued_at: queuedAt } = job;
  const isQueuedForIt =
    queuedAt !== null &&
    Date.parse(queuedAt) <= Date.parse(startedAt) &&
    (attempt === 1 || (before !== null && Date.parse(before) <= Date.parse(queuedAt)));
  if (isQueuedForIt) return { ms: between(queuedAt, startedAt) };
  return before === null ? undefined : { ms: Math.max(0, between(before, startedAt)), sinceAttempt: attempt - 1 };
}

/** How long an attempt ran (ms); undefined if it is running or its times were not recorded. */
export function runOf({ started_at, finished_at }: Pick<Attempt, 'started_at' | 'finished_at'>): number | undefined {
  return started_at === null || finished_at === null ? undefined : between(started_at, finished_at);
}

function between(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from);
}
