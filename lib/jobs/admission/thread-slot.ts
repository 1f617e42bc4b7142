import { ApiError } from '../../contract/errors.ts';
import { isTerminal } from '../../contract/statuses.ts';
import { actOnJob, invalidState } from '../dispatch/act-on-job.ts';
import { isReady, MAX_ROUNDS, transition } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import type { JobEvent } from '../lifecycle/job-event.ts';
import { begunAfter, readThread, type ThreadContext, type TurnWithJob, waitInThread } from '../threads/read-thread.ts';
import { runsBindings } from '../threads/running-bindings.ts';
import { continueThread, waitAgain } from '../threads/settle-thread.ts';
import { acquireSlot, type SlotContext, threadSlot } from './slots.ts';

/** Dependencies for giving the live attempt of a thread to one of its turns. */
export type ThreadSlotContext = ThreadContext & SlotContext;

/**
 * Whether the claim of exactly this version of a job may go ahead in its thread, and the turns of that thread; none: it
 * is in no thread. The thread's slot is taken before the thread is read, so that no other turn can start in between. A
 * job that has to wait is parked.
 */
export async function enterThread(
  context: ThreadSlotContext,
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
export async function leaveThread(context: ThreadSlotContext, job: Job): Promise<void> {
  const { thread_id: threadId } = job;
  if (threadId === undefined) return;
  await context.jobs.apply(job, job);
  for (const { job: turn } of await readThread(context, threadId))
    if (typeof turn === 'object' && isReady(turn)) await context.dispatchQueues.send(turn);
}

/**
 * Applies an action that a client requests, and continues the job's thread.
 * @param options.onFailure called if the action is done and the thread could not be continued: reconcile-jobs does that
 * @returns the updated job
 * @throws as `actOnJob` and `retryTurn`
 */
export async function actInThread(
  context: ThreadSlotContext,
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

/**
 * Retries a job, which takes its old turn. A retry takes the slot of the thread as a claim does, so that no later turn
 * begins while it is decided.
 * @throws ApiError `invalid_state` if the job has not ended, a later turn of its thread has begun, or a command of a
 * binding works in its folder; `unavailable` while another turn is about to start
 */
async function retryTurn(
  context: ThreadSlotContext,
  known: Job,
  event: Extract<JobEvent, { type: 'retry' }>,
): Promise<Job> {
  let job = known;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    if (!isTerminal(job.status)) return await actOnJob(context, job, event, 'retry');
    await requireStill(context, job);
    const result = await transition(context, job, event, { rounds: 1 });
    if (result.done) return result.job;
    if (result.job === undefined || result.job.version === job.version) {
      await leaveThread(context, job);
      return await actOnJob(context, job, event, 'retry');
    }
    job = result.job;
  }
  throw new Error(`job ${job.id}: it changed in every round of the retry`);
}

/** Neither a later turn nor a command of a binding may work in the folder. */
async function requireStill(context: ThreadSlotContext, job: Job): Promise<void> {
  const refuse = (why: string, use?: string) => invalidState('retry', job, why, use);
  if (await runsBindings(context, job))
    throw refuse('a command of a deploy binding works in its folder; retry it when that has ended');
  const { thread_id: threadId, turn } = job;
  if (threadId === undefined || turn === undefined) return;
  const isMine = await acquireSlot(context, job, threadSlot(threadId));
  const later = begunAfter(await readThread(context, threadId), turn);
  const why = `turn ${later?.turn} of its thread (${later?.jobId}) has begun; fork the newest turn, or continue the thread`;
  if (later !== undefined) {
    if (isMine) await leaveThread(context, job);
    throw refuse(why, 'fork');
  }
  if (!isMine) throw ApiError.of('unavailable', undefined, RETRY_AFTER_SECONDS);
}

const RETRY_AFTER_SECONDS = 5;
