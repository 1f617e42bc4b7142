import { LIMITS } from '../../contract/limits.ts';
import { invalidState } from '../dispatch/act-on-job.ts';
import { transition } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import { awaitsTurn } from '../lifecycle/thread.ts';
import { hasEnded, readThread, type ThreadContext, waitInThread } from './read-thread.ts';

/** How often taking a turn is tried while other jobs take theirs, or the job changes. */
const MAX_TRIES = 50;

/**
 * Gives a job the next turn of its thread: first the record, whose conditional write decides between jobs, then the job
 * itself. Safe to run concurrently and repeatedly.
 * @returns the updated job
 */
export async function takeTurn(context: ThreadContext, known: Job): Promise<Job> {
  let job = known;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (!awaitsTurn(job)) return job;
    const threadId = job.thread_id ?? job.id;
    const turns = await readThread(context, threadId);
    const { id } = job;
    const turn = turns.find(({ jobId }) => jobId === id)?.turn;
    if (turn === undefined) {
      const next = (turns.at(-1)?.turn ?? 1) + 1;
      await context.threads.put(threadId, { turn: next, jobId: id });
      continue;
    }
    const afterEnd = hasEnded(turns.find((other) => other.turn === turn - 1)?.job);
    // If the turn before it has not ended, it waits for that whatever it may follow.
    const wait = await waitInThread(context, turns, { turn, after_any: afterEnd });
    const event = { type: 'take_turn', turn, afterEnd, ...(wait && { wait }) } as const;
    const taken = await transition(context, job, event, { rounds: 1 });
    if (taken.done) return taken.job;
    if (taken.job === undefined) return job;
    job = taken.job;
  }
  throw new Error(`job ${job.id}: its turn could not be taken`);
}

/** @throws ApiError `invalid_state` if the thread has no further turn */
export function requireRoom(turns: number, job: Pick<Job, 'status'>): void {
  if (turns < LIMITS.turnsPerThread) return;
  throw invalidState('continue', job, `a thread has at most ${LIMITS.turnsPerThread} turns`);
}
