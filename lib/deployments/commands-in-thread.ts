import type { JobDeployment } from '../jobs/deployments/job-deployment.ts';
import { transition } from '../jobs/dispatch/transition.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import type { ThreadContext } from '../jobs/threads/read-thread.ts';
import { settleThread } from '../jobs/threads/settle-thread.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { DeployContext } from './start-deployments.ts';

/** Why commands are skipped once a later turn has begun. */
export const FOLDER_HAS_CHANGED = 'A later turn of its thread has worked in the folder since.';

type Context = Pick<DeployContext, 'deployments' | 'jobs' | 'dispatchQueues' | 'clock' | 'random'> &
  Pick<ThreadContext, 'threads'>;

/**
 * Records that the commands of exactly this version of a job wait for its thread, so that nothing looks at them until
 * the thread is idle. A turn may wait for a command of the job that
 * has run before these: it starts.
 */
export async function holdCommands(context: Context, job: Job): Promise<void> {
  if (job.thread_id !== undefined) await settleThread(context, job.thread_id);
  await transition(context, job, { type: 'hold_commands' }, { rounds: 1 });
}

/** Records that commands could not begin because another job works in the folder, unless that is known. */
export async function noteBusyFolder(context: Pick<Context, 'deployments'>, known: JobDeployment): Promise<void> {
  if (known.pending_reason === 'folder_busy') return;
  await context.deployments.replace(known, { ...known, pending_reason: 'folder_busy' });
}

/** Records that a deployment is not made, with the reason, unless it has changed meanwhile. */
export async function skipDeployment(
  context: Pick<Context, 'deployments' | 'clock'>,
  known: JobDeployment,
  error: string | undefined,
): Promise<void> {
  const finished_at = timestamp(context.clock.now());
  await context.deployments.replace(known, {
    ...known,
    state: 'skipped',
    pending_reason: undefined,
    error,
    finished_at,
  });
}
