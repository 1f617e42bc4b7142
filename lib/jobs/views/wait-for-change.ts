import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '../../contract/statuses.ts';
import type { Clock } from '../../platform/aws/table-clock.ts';
import type { Job } from '../lifecycle/job.ts';
import { findJob } from '../store/find-job.ts';
import type { JobStore } from '../store/job-store.ts';

/** The next read comes after this share of the time since the job's last change, within these limits (ms). */
const POLL = { share: 0.5, shortest: 100, longest: 2_500 } as const;

const announcements = new EventEmitter().setMaxListeners(0);

/** Makes waits of this process for a job read it now. Only the local run can: in AWS the writer is another machine. */
export function announceChange(jobId: string): void {
  announcements.emit(jobId);
}

interface WaitContext {
  readonly jobs: JobStore;
  readonly clock: Clock;
  /** Resolves after so many ms, and when the signal is aborted. Default: this machine's timer. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/**
 * The job once its state, reason, question or attempt differs from what they were, it has ended, or `seconds` have passed. Polls
 * the more often the shorter the job's last change is ago: short jobs end soon after their start, long ones don't.
 * @throws ApiError `job_not_found`
 */
export async function waitForChange(context: WaitContext, id: string, seconds: number): Promise<Job> {
  const { jobs, clock, pause = timer } = context;
  const end = performance.now() + seconds * 1000;
  let announced = new AbortController();
  const onChange = () => announced.abort();
  announcements.on(id, onChange);
  try {
    const first = await findJob(jobs, id);
    let latest = first;
    while (sameState(latest, first) && !isTerminal(latest.status)) {
      const left = end - performance.now();
      if (left <= 0) break;
      await pause(Math.min(pauseAfter(clock.now() - Date.parse(latest.updated_at)), left), announced.signal);
      announced = new AbortController();
      latest = (await jobs.get(id, { consistent: true })) ?? latest;
    }
    return latest;
  } finally {
    announcements.off(id, onChange);
  }
}

/** @param age ms since the job's last change; negative if the clocks differ */
function pauseAfter(age: number): number {
  return Math.min(POLL.longest, Math.max(POLL.shortest, POLL.share * age));
}

async function timer(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

function sameState(a: Job, b: Job): boolean {
  const sameQuestion = a.question?.id === b.question?.id && a.question?.state === b.question?.state;
  return a.status === b.status && a.reason === b.reason && a.attempt === b.attempt && sameQuestion;
}
