import { actOnJob } from '../dispatch/act-on-job.ts';
import type { Job } from '../lifecycle/job.ts';
import type { JobEvent } from '../lifecycle/job-event.ts';
import { continueThread, waitAgain } from '../threads/settle-thread.ts';
import type { EnterContext } from './enter-thread.ts';
import { retryTurn } from './retry-turn.ts';

/**
 * Applies an action that a client requests, and continues the job's thread.
 * @param options.onFailure called if the action is done and the thread could not be continued: reconcile-jobs does that
 * @returns the updated job
 * @throws as `actOnJob` and `retryTurn`
 */
export async function actInThread(
  context: EnterContext,
  job: Job,
  event: JobEvent,
  { action, onFailure }: { readonly action: string; readonly onFailure: (error: unknown) => void },
): Promise<Job> {
  const changed =
    event.type === 'retry' ? await retryTurn(context, job, event) : await actOnJob(context, job, event, action);
  try {
    if (event.type === 'retry') await waitAgain(context, changed);
    return await continueThread(context, changed);
  } catch (error) {
    onFailure(error);
    return changed;
  }
}
