import { probeParkedJobs } from '../jobs/admission/parked-jobs.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { expireQuestions } from '../jobs/questions/expire-questions.ts';
import {
  type ReconcilerContext,
  readWaiting,
  reissueAll,
  resendStaleMessages,
  takeOverLostJobs,
  wakeForFreeResources,
} from './reconcile-jobs.ts';

/** Events of a round that should be rare. */
interface ReconcileResult {
  /** Jobs whose worker was lost, as updated. */
  readonly takenOver: readonly Job[];
  /** How many dispatch messages were redriven from the dead-letter queues. */
  readonly redriven: number;
}

/**
 * One round over all jobs; it needs no memory of earlier rounds. Finishes running jobs whose worker was lost, starts due
 * probes, ends waits for an answer whose deadline has passed, wakes the next jobs for free folders
 * and profiles, redrives the dead-letter queues, and sends new messages for jobs that have waited too long.
 * @param options.redrive sends all dispatch messages again, for use after the queues were lost
 */
export async function reconcile(
  context: ReconcilerContext,
  options: { readonly redrive?: boolean } = {},
): Promise<ReconcileResult> {
  const takenOver = await takeOverLostJobs(context);
  await probeParkedJobs(context);
  await expireQuestions(context);
  const waiting = await readWaiting(context);
  await wakeForFreeResources(context, waiting);
  const redriven = await context.dispatchQueues.redriveDeadLetters();
  await (options.redrive === true ? reissueAll(context) : resendStaleMessages(context, waiting));
  return { takenOver, redriven };
}
