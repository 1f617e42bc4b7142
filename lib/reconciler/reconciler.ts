import { probeParkedJobs } from '../jobs/admission/parked-jobs.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { makeMissingFollowUps } from './after-attempt.ts';
import {
  type ReconcilerContext,
  reissueAll,
  resendStaleMessages,
  takeOverLostJobs,
  wakeForFreeResources,
} from './reconcile-jobs.ts';

/** What a round came upon that should be rare. */
export interface ReconcileResult {
  /** Jobs whose worker was lost, as they then are. */
  readonly settled: readonly Job[];
  /** How many permits the queues had given up. */
  readonly givenUp: number;
}

/**
 * One round of looking after all jobs; needs no memory of earlier ones. Settles running jobs whose worker was lost, makes
 * follow-up jobs that are missing, lets a parked job try and the next ones into each folder and profile that is free, puts back what
 * the queues gave up, and sees to it that no waiting job is forgotten.
 * @param options.redrive sends every permit anew: for the day the queues were lost.
 */
export async function reconcile(
  context: ReconcilerContext,
  options: { readonly redrive?: boolean } = {},
): Promise<ReconcileResult> {
  const settled = await takeOverLostJobs(context);
  await makeMissingFollowUps(context);
  await probeParkedJobs(context);
  await wakeForFreeResources(context);
  const givenUp = await context.dispatchQueues.redriveDeadLetters();
  await (options.redrive === true ? reissueAll(context) : resendStaleMessages(context));
  return { settled, givenUp };
}
