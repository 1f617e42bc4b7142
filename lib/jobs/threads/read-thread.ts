import { isTerminal } from '../../contract/statuses.ts';
import type { JobDeploymentStore } from '../deployments/job-deployment-store.ts';
import type { TransitionContext } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import type { ThreadWait } from '../lifecycle/job-event.ts';
import { lacksCopy } from '../lifecycle/thread.ts';
import type { JobStore } from '../store/job-store.ts';
import { runsBindings } from './running-bindings.ts';
import type { ThreadStore, Turn } from './thread-store.ts';

/** Dependencies for keeping the order of threads. */
export interface ThreadContext extends TransitionContext {
  readonly threads: ThreadStore;
  readonly deployments: Pick<JobDeploymentStore, 'list'>;
}

/** A turn with its job. undefined: it was removed; `newer`: only a later version can read it. */
export interface TurnWithJob extends Turn {
  readonly job: Job | 'newer' | undefined;
}

/** The turns of a thread with their jobs, as of the last acknowledged writes. */
export async function readThread(
  { threads, jobs }: { readonly threads: Pick<ThreadStore, 'turns'>; readonly jobs: Pick<JobStore, 'findAll'> },
  threadId: string,
): Promise<TurnWithJob[]> {
  const turns = await threads.turns(threadId);
  const found = await jobs.findAll(turns.map(({ jobId }) => jobId));
  return turns.map((turn) => ({ ...turn, job: found.get(turn.jobId) }));
}

/** The turns of a job's thread; none: it is in no thread. */
export async function turnsOf(
  context: { readonly threads: Pick<ThreadStore, 'turns'>; readonly jobs: Pick<JobStore, 'findAll'> },
  { thread_id: threadId }: Pick<Job, 'thread_id'>,
): Promise<TurnWithJob[]> {
  return threadId === undefined ? [] : await readThread(context, threadId);
}

/**
 * What a job of a thread has to wait for. Lower turns have to end, and no other turn may run. The turn before it has to
 * succeed, unless the job starts however that ends. Forks have to make their copies.
 * @returns undefined: nothing
 */
export async function waitInThread(
  context: Pick<ThreadContext, 'deployments' | 'threads' | 'jobs'>,
  turns: readonly TurnWithJob[],
  { turn, after_any }: { readonly turn: number; readonly after_any?: boolean | undefined },
): Promise<ThreadWait | undefined> {
  const lower = turns.filter((other) => other.turn < turn);
  const open =
    lower.findLast(({ job }) => !hasEnded(job)) ?? turns.find((other) => other.turn > turn && isRunning(other.job));
  if (open !== undefined) return { job: open.jobId, stopped: false };
  for (const { job, jobId } of lower)
    if (job !== undefined && job !== 'newer' && (await runsBindings(context, job)))
      return { job: jobId, stopped: false };
  const before = lower.at(-1);
  const mayFollow = after_any === true || before?.job === undefined;
  if (!mayFollow && (before.job === 'newer' || before.job?.status !== 'SUCCEEDED'))
    return { job: before.jobId, stopped: true };
  const fork = await pendingFork(context, turns);
  return fork === undefined ? undefined : { job: fork, stopped: false };
}

/** A fork that is to start from a thread, and whose copy is not made yet. */
export async function pendingFork(
  { threads, jobs }: { readonly threads: Pick<ThreadStore, 'forks'>; readonly jobs: Pick<JobStore, 'findAll'> },
  [first]: readonly Pick<Turn, 'jobId'>[],
): Promise<string | undefined> {
  const ids = first === undefined ? [] : await threads.forks(first.jobId);
  const found = await jobs.findAll(ids);
  return ids.find((id) => {
    const fork = found.get(id);
    return fork === 'newer' || (fork !== undefined && !isTerminal(fork.status) && lacksCopy(fork));
  });
}

/** Whether a turn has ended, so that later ones may start. */
export function hasEnded(job: TurnWithJob['job']): boolean {
  return job === undefined || (job !== 'newer' && isTerminal(job.status));
}

/** A later turn that has begun, so that the turns up to this one are settled. */
export function begunAfter(turns: readonly TurnWithJob[], turn: number): TurnWithJob | undefined {
  return turns.find(({ turn: other, job }) => other > turn && (job === 'newer' || (job?.attempt ?? 0) > 0));
}

/** Whether all turns of a thread ended before a time (RFC 3339), and no fork still has to copy from it. */
export async function isThreadOver(
  context: { readonly threads: Pick<ThreadStore, 'forks'>; readonly jobs: Pick<JobStore, 'findAll'> },
  turns: readonly TurnWithJob[],
  before: string,
): Promise<boolean> {
  const isOver = ({ job }: TurnWithJob) => job === undefined || (job !== 'newer' && endedBefore(job, before));
  return turns.every(isOver) && (await pendingFork(context, turns)) === undefined;
}

/** Whether a job ended before a time (RFC 3339). */
export function endedBefore({ status, finished_at, updated_at }: Job, before: string): boolean {
  return isTerminal(status) && (finished_at ?? updated_at) < before;
}

function isRunning(job: TurnWithJob['job']): boolean {
  return job === 'newer' || job?.status === 'RUNNING';
}
