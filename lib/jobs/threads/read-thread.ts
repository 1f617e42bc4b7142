import { isTerminal } from '../../contract/statuses.ts';
import type { JobDeploymentStore } from '../deployments/job-deployment-store.ts';
import type { TransitionContext } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import type { ThreadWait } from '../lifecycle/job-event.ts';
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

/**
 * The turn that a job has to wait for. Lower turns have to end, and no other turn may run. The turn before it has to
 * succeed, unless the job starts however that ends.
 * @returns undefined: it waits for none
 */
export async function waitInThread(
  { deployments }: Pick<ThreadContext, 'deployments'>,
  turns: readonly TurnWithJob[],
  { turn, after_any }: { readonly turn: number; readonly after_any?: boolean | undefined },
): Promise<ThreadWait | undefined> {
  const lower = turns.filter((other) => other.turn < turn);
  const open =
    lower.findLast(({ job }) => !hasEnded(job)) ?? turns.find((other) => other.turn > turn && isRunning(other.job));
  if (open !== undefined) return { job: open.jobId, stopped: false };
  for (const { job, jobId } of lower)
    if (job !== undefined && job !== 'newer' && (await runsBindings({ deployments }, job)))
      return { job: jobId, stopped: false };
  const before = lower.at(-1);
  if (after_any === true || before?.job === undefined) return undefined;
  return before.job !== 'newer' && before.job.status === 'SUCCEEDED' ? undefined : { job: before.jobId, stopped: true };
}

/** Whether a turn has ended, so that later ones may start. */
export function hasEnded(job: TurnWithJob['job']): boolean {
  return job === undefined || (job !== 'newer' && isTerminal(job.status));
}

/** Whether all turns ended before a time (RFC 3339). */
export function hasThreadEnded(turns: readonly TurnWithJob[], before: string): boolean {
  return turns.every(({ job }) => job === undefined || (job !== 'newer' && hasEnded(job) && endOf(job) < before));
}

function endOf({ finished_at, updated_at }: Job): string {
  return finished_at ?? updated_at;
}

function isRunning(job: TurnWithJob['job']): boolean {
  return job === 'newer' || job?.status === 'RUNNING';
}
