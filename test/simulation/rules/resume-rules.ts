import { isTerminal } from '../../../lib/contract/statuses.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';

/** What is wrong with the session that a job's next attempt is to continue; undefined: nothing. */
export function faultOfResume(before: Job, after: Job): string | undefined {
  const expected = expectedAfter(before, after);
  const is = chainOf(after);
  return expected === is ? undefined : `the next attempt was to continue ${expected} and continues ${is}`;
}

/** The attempts whose sessions may be continued, as `OLDEST-NEWEST`. */
function chainOf({ status, resume_from: newest, resume_oldest: oldest }: Job): string {
  // What ended without success keeps the end of its chain, for a retry of its session.
  const isKept = (isTerminal(status) && status !== 'SUCCEEDED') || oldest === undefined;
  if (newest === undefined && isKept) return 'none';
  return `${oldest}-${newest}`;
}

/** A retry starts from the prompt, or continues the session of the last attempt. */
function expectedAfterRetry(before: Job, after: Job): string {
  const hasSession = before.status !== 'SUCCEEDED' && before.agent !== 'shell' && before.attempt > 0;
  if (!hasSession || after.resume_from === undefined) return 'none';
  const { attempt, resume_oldest: oldest = attempt } = before;
  return `${oldest}-${attempt}`;
}

function expectedAfter(before: Job, after: Job): string {
  if (isTerminal(after.status)) return 'none';
  if (isTerminal(before.status)) return expectedAfterRetry(before, after);
  if (before.status === 'RUNNING' && after.status === 'QUEUED') {
    // Only what the job or its agent did itself is done again from the start, but for a timeout; scripts always are.
    if (after.agent === 'shell') return 'none';
    const mayHaveTimedOut = before.timeout !== undefined && after.resume_from !== undefined;
    if (after.reason === 'retry_backoff' && !mayHaveTimedOut) return 'none';
    return `${before.resume_oldest ?? before.attempt}-${before.attempt}`;
  }
  const isAnother = before.texts !== after.texts || before.profile !== after.profile || before.cwd !== after.cwd;
  return isAnother ? 'none' : chainOf(before);
}
