import { FOLDER_HAS_CHANGED, skipDeployment } from '../../lib/deployments/commands-in-thread.ts';
import { acquireForCommands, exclusiveFolder } from '../../lib/jobs/admission/folder-slots.ts';
import { type GateContext, wakeIfFree } from '../../lib/jobs/admission/gates.ts';
import { acquireSlot, threadSlot } from '../../lib/jobs/admission/slots.ts';
import { leaveThread, type ThreadSlotContext } from '../../lib/jobs/admission/thread-slot.ts';
import type { JobDeployment } from '../../lib/jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../../lib/jobs/deployments/job-deployment-store.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { whenCommandsAct } from '../../lib/jobs/threads/commands-turn.ts';
import { turnsOf } from '../../lib/jobs/threads/read-thread.ts';
import { settleThread } from '../../lib/jobs/threads/settle-thread.ts';

/**
 * Marks a deployment's commands as running, if they may work in the folder of exactly this version of the job. They take
 * the slots of its thread and of its folder as a claim does. A turn, a fork or another job in the folder that begins at
 * the same time sees them running, or they see it and have not begun.
 * @returns the running deployment; `later`: its thread is not idle; `busy`: a job runs in the folder, or is about to, so that
 * reconcile-jobs checks again; undefined: it is skipped, or something has changed
 */
export async function beginCommands(
  context: ThreadSlotContext & GateContext & { readonly deployments: JobDeploymentStore },
  job: Job,
  known: JobDeployment,
  begun: Pick<JobDeployment, 'started_at' | 'worker_id' | 'ends_by'>,
): Promise<JobDeployment | 'later' | 'busy' | undefined> {
  const { thread_id: threadId } = job;
  const turns = await turnsOf(context, job);
  const when = await whenCommandsAct(context, job, turns);
  if (when === 'never') {
    await skipDeployment(context, known, FOLDER_HAS_CHANGED);
    return undefined;
  }
  if (when === 'later') return 'later';
  if (threadId !== undefined && !(await acquireSlot(context, job, threadSlot(threadId)))) return 'busy';
  const folder = await exclusiveFolder(context, job, turns);
  if (folder !== undefined && !(await acquireForCommands(context, job, folder))) {
    await leaveThread(context, job);
    return 'busy';
  }
  const running = await context.deployments.replace(known, {
    ...known,
    ...begun,
    pending_reason: undefined,
    state: 'running',
    attempts: known.attempts + 1,
  });
  if (running === undefined) return undefined;
  const isStillDue = (await whenCommandsAct(context, job)) === 'now';
  // A retry, or the first turn that continues or forks the job, has given it a new version.
  if (isStillDue && (await context.jobs.apply(job, job)).applied) return running;
  await context.deployments.replace(running, known);
  await leaveThread(context, job);
  if (threadId !== undefined) await settleThread(context, threadId);
  if (folder !== undefined) await wakeIfFree(context, { kind: 'folder', key: folder });
  return undefined;
}
