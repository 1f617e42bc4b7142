import { isReady, transition } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import { readThread, type ThreadContext, type TurnWithJob, waitInThread } from '../threads/read-thread.ts';
import { acquireSlot, type SlotContext, threadSlot } from './slots.ts';

/** Dependencies for giving the live attempt of a thread to one of its turns. */
export type EnterContext = ThreadContext & SlotContext;

/**
 * Whether the claim of exactly this version of a job may go ahead in its thread, and the turns of that thread; none: it
 * is in no thread. The thread's slot is taken before the thread is read, so that no other turn can start in between. A
 * job that has to wait is parked.
 */
export async function enterThread(
  context: EnterContext,
  job: Job,
): Promise<{ readonly mayEnter: boolean; readonly turns: readonly TurnWithJob[] }> {
  const { thread_id: threadId, turn } = job;
  if (threadId === undefined || turn === undefined) return { mayEnter: true, turns: [] };
  const isMine = await acquireSlot(context, job, threadSlot(threadId));
  const turns = await readThread(context, threadId);
  const wait = await waitInThread(context, turns, { ...job, turn });
  // Whatever ends the awaited turn gives this job a new version, or finds it parked.
  if (wait !== undefined) await transition(context, job, { type: 'wait_for_thread', wait }, { rounds: 1 });
  return { mayEnter: isMine && wait === undefined, turns };
}

/**
 * Frees the slot of a thread that was taken for exactly this version of a job, and then not used: the job gets a new
 * version. A turn that found the slot taken may have no message left.
 */
export async function leaveThread(context: EnterContext, job: Job): Promise<void> {
  const { thread_id: threadId } = job;
  if (threadId === undefined) return;
  await context.jobs.apply(job, job);
  for (const { job: turn } of await readThread(context, threadId))
    if (typeof turn === 'object' && isReady(turn)) await context.dispatchQueues.send(turn);
}
