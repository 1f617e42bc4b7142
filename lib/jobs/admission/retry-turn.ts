import { ApiError } from '../../contract/errors.ts';
import { isTerminal } from '../../contract/statuses.ts';
import { actOnJob, invalidState } from '../dispatch/act-on-job.ts';
import { MAX_ROUNDS, transition } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import type { JobEvent } from '../lifecycle/job-event.ts';
import { begunAfter, readThread } from '../threads/read-thread.ts';
import { runsBindings } from '../threads/running-bindings.ts';
import { type EnterContext, leaveThread } from './enter-thread.ts';
import { acquireSlot, threadSlot } from './slots.ts';

/**
 * Retries a job, which takes its old turn. A retry takes the slot of the thread as a claim does, so that no later turn
 * begins while it is decided.
 * @throws ApiError `invalid_state` if the job has not ended, a later turn of its thread has begun, or a command of a
 * binding works in its folder; `unavailable` while another turn is about to start
 */
export async function retryTurn(
  context: EnterContext,
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
async function requireStill(context: EnterContext, job: Job): Promise<void> {
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
