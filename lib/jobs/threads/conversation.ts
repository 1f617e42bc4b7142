import { LIMITS } from '../../contract/limits.ts';
import type { Job } from '../lifecycle/job.ts';
import type { JobStore } from '../store/job-store.ts';
import { turnsOf } from './read-thread.ts';
import type { ThreadStore } from './thread-store.ts';

/** A job that a conversation went through, and the last of its attempts that belongs to the conversation. */
export interface EarlierTurn {
  readonly job: Job;
  readonly attempt: number;
}

/**
 * What was said before a job that continues or forks another one, oldest first: the lower turns of its thread, and if
 * the thread is a fork, the turns up to the one that it forks.
 * @returns undefined: the job begins a conversation
 */
export async function conversationBefore(
  context: { readonly threads: Pick<ThreadStore, 'turns'>; readonly jobs: Pick<JobStore, 'find' | 'findAll'> },
  job: Job,
): Promise<readonly EarlierTurn[] | undefined> {
  if (job.continues === undefined && job.forked_from === undefined) return undefined;
  const earlier: EarlierTurn[] = [];
  for (let at = job; earlier.length < LIMITS.turnsPerThread; ) {
    const { turn = 1 } = at;
    const thread = await turnsOf(context, at);
    const lower = thread.flatMap((other) =>
      other.turn < turn && typeof other.job === 'object' ? [{ job: other.job, attempt: other.job.attempt }] : [],
    );
    earlier.unshift(...lower);
    const first = lower[0]?.job ?? at;
    const source = first.forked_from === undefined ? undefined : await context.jobs.find(first.forked_from);
    if (source === undefined || source === 'newer') break;
    earlier.unshift({ job: source, attempt: first.forked_attempt ?? source.attempt });
    at = source;
  }
  return earlier;
}
