import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { wasLost } from '../../lib/jobs/lifecycle/resume.ts';
import type { OutputStore } from '../../lib/jobs/output/output-store.ts';
import { readableReceipt } from '../../lib/jobs/output/readable-receipt.ts';
import type { EarlierTurn } from '../../lib/jobs/threads/conversation.ts';
import type { AttemptOfJob } from './restore-session.ts';

/**
 * Whether the usage in an attempt's session is recorded: with that attempt, or with a later one that continued it and
 * saved no session. A lost attempt records nothing, whatever receipt it leaves, and one without usage leaves it to the
 * next.
 * @param job the one that continues the session
 */
export async function isUsageRecorded(
  output: Pick<OutputStore, 'readReceipt'>,
  { job, earlier }: { readonly job: Job; readonly earlier: readonly EarlierTurn[] },
  { jobId, attempt }: AttemptOfJob,
): Promise<boolean> {
  const other = earlier.find((turn) => turn.job.id === jobId)?.job;
  // An attempt of this job has recorded what the turn before did not.
  if (other !== undefined && job.usage !== undefined) return true;
  const newest = other?.attempt ?? job.attempt - 1;
  for (let by = attempt; by <= newest; by += 1) {
    if (wasLost(other ?? job, by)) continue;
    const { receipt, state } = await readableReceipt(output, jobId, by);
    if (by === attempt && state === 'corrupt') return true;
    if (receipt?.usage !== undefined && (by === attempt || receipt.resumed_from === attempt)) return true;
  }
  return false;
}
