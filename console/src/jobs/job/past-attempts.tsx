import type { StepsProps } from '@cloudscape-design/components/steps';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { duration } from '../../format/duration.ts';
import { compareAddress } from '../queries/compare-address.ts';
import type { Job } from '../queries/job-query.ts';
import { type Attempt, attemptOf, runOf, type Wait, waitOf } from '../status/attempt-times.ts';
import { statusText } from '../status/job-status.tsx';

/** An event in a job's history. */
export interface HistoryEvent {
  readonly status: StepsProps.Status;
  readonly header: string;
  /** RFC 3339. If the time was not recorded, that of the next event. */
  readonly at: string;
  readonly isTimeKnown?: boolean;
  readonly note?: string | undefined;
  readonly link?: ReactNode;
}

/** Whether the newest attempt ended before the job did, because the job was re-queued. */
export function hasOutlivedAttempt(job: Job): boolean {
  const newest = attemptOf(job, job.attempt);
  if (newest === undefined || newest.status === 'RUNNING') return false;
  return job.status === 'QUEUED' || newest.finished_at !== job.finished_at;
}

/** The attempts that ended before the job did, oldest first. */
export function* pastAttempts(job: Job): Iterable<HistoryEvent> {
  const end = hasOutlivedAttempt(job) ? job.attempt : job.attempt - 1;
  const listed = (job.attempts ?? []).filter(({ attempt }) => attempt <= end).toReversed();
  const unlisted = (listed[0]?.attempt ?? job.attempt) - 1;
  if (unlisted > 0) {
    yield {
      status: 'stopped',
      header: unlisted === 1 ? 'Attempt 1 ended' : `Attempts 1 to ${unlisted} ended`,
      at: job.created_at,
      isTimeKnown: false,
      note: 'choose an attempt in Result or Log to read it',
    };
  }
  for (const one of listed) {
    const { attempt, status, started_at, finished_at } = one;
    yield {
      status: (status !== null && ATTEMPT_ENDS[status]) || 'stopped',
      header: `Attempt ${attempt}: ${endText(one)}`,
      at: started_at ?? finished_at ?? nextStart(job, attempt),
      isTimeKnown: started_at !== null || finished_at !== null,
      note: [...notesOf(job, one)].join(', ') || undefined,
      link: attempt < job.attempt && (
        <Link className="job-link" to={compareAddress({ id: job.id, attempt }, { id: job.id, attempt: job.attempt })}>
          {`Compare with attempt ${job.attempt}`}
        </Link>
      ),
    };
  }
}

export const ATTEMPT_ENDS: Partial<Record<Job['status'], StepsProps.Status>> = {
  SUCCEEDED: 'success',
  FAILED: 'error',
};

/** How an attempt ended, in a word or two. */
export function endText({ status, state_reason }: Pick<Attempt, 'status' | 'state_reason'>): string {
  if (status === null) return 'outcome not recorded';
  if (status !== 'QUEUED') return statusText(status);
  return state_reason?.code === 'worker_lost' ? 'Worker lost' : 'Not finished';
}

export function waitText({ ms, sinceAttempt }: Wait): string {
  return sinceAttempt === undefined
    ? `waited ${duration(ms)}`
    : `started ${duration(ms)} after attempt ${sinceAttempt} ended`;
}

/** That an attempt did not start from the prompt. */
export function resumedText(attempt: number): string {
  return `continued the session of attempt ${attempt}`;
}

function* notesOf(job: Job, one: Attempt): Iterable<string> {
  const wait = waitOf(job, one.attempt);
  if (wait !== undefined) yield waitText(wait);
  if (one.resumed_from != null) yield resumedText(one.resumed_from);
  const ran = runOf(one);
  if (ran !== undefined) yield `ran ${duration(ran)}`;
  if (one.signal !== null) yield `ended by ${one.signal}`;
  // The message of a failure names the exit code.
  else if (one.exit_code !== null && one.status !== 'FAILED') yield `exit code ${one.exit_code}`;
  if (one.status !== 'SUCCEEDED' && one.state_reason !== null) yield one.state_reason.message;
}

/** The time of the first recorded event after an attempt. */
function nextStart({ attempts, queued_at, created_at }: Job, attempt: number): string {
  const next = attempts?.findLast((one) => one.attempt > attempt && one.started_at !== null);
  return next?.started_at ?? queued_at ?? created_at;
}
