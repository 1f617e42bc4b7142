import { watchParked } from '../jobs/admission/parked-jobs.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { watchChildren } from './after-attempt.ts';
import { redrive, type WatchContext, watchBusy, watchReady, watchRunning } from './reconcile-jobs.ts';

/** What a round came upon that should be rare. */
export interface WatchResult {
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
export async function watch(context: WatchContext, options: { readonly redrive?: boolean } = {}): Promise<WatchResult> {
  const settled = await watchRunning(context);
  await watchChildren(context);
  await watchParked(context);
  await watchBusy(context);
  const givenUp = await context.permits.redeliver();
  await (options.redrive === true ? redrive(context) : watchReady(context));
  return { settled, givenUp };
}
