import { sweepGates } from '../jobs/admission/gates.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import {
  type ReconcilerContext,
  readWaiting,
  reissueAll,
  resendStaleMessages,
  takeOverLostJobs,
} from './reconcile-jobs.ts';

/** Events of a round that should be rare. */
interface ReconcileResult {
  /** Jobs whose worker was lost, as updated. */
  readonly takenOver: readonly Job[];
  /** How many dispatch messages were redriven from the dead-letter queues. */
  readonly redriven: number;
}

/**
 * One round over all jobs; it needs no memory of earlier rounds. Finishes running jobs whose worker was lost, sweeps
 * the gates at which jobs wait, redrives the dead-letter queues, and sends new messages for jobs that have waited too
 * long.
 * @param options.redrive sends all dispatch messages again, for use after the queues were lost
 */
export async function reconcile(
  context: ReconcilerContext,
  options: { readonly redrive?: boolean } = {},
): Promise<ReconcileResult> {
  const takenOver = await takeOverLostJobs(context);
  const waiting = await readWaiting(context);
  await sweepGates(context, waiting.gates);
  const redriven = await context.dispatchQueues.redriveDeadLetters();
  await (options.redrive === true ? reissueAll(context) : resendStaleMessages(context, waiting));
  return { takenOver, redriven };
}
