import type { Clock } from '../../platform/aws/table-clock.ts';
import { bandOf, type Job } from '../lifecycle/job.ts';
import type { Circumstances, JobEvent } from '../lifecycle/job-event.ts';
import { decide } from '../lifecycle/lifecycle.ts';
import { isUnderstood } from '../lifecycle/understood.ts';
import type { JobStore } from '../store/job-store.ts';
import type { DispatchQueues } from './dispatch-queues.ts';

/** Dependencies for changing a job's state. */
export interface TransitionContext {
  readonly jobs: JobStore;
  readonly dispatchQueues: DispatchQueues;
  readonly clock: Clock;
  readonly random: () => number;
  readonly probeEvery?: Circumstances['probeEvery'];
}

export type Transition =
  | { readonly done: true; readonly job: Job }
  | { readonly done: false; readonly rejected: string; readonly job: Job | undefined };

/** How often a decision is repeated because what it depends on changed meanwhile. */
export const MAX_ROUNDS = 10;

/**
 * Applies an event to a job: decides, sends the dispatch message if the result makes the job ready, and writes the
 * result on condition that the job is unchanged. If it has changed, decides again, up to `rounds` times.
 * @param known the job as last read; a stale one only costs a round
 */
export async function transition(
  context: Omit<TransitionContext, 'dispatchQueues'> & { readonly dispatchQueues: Pick<DispatchQueues, 'send'> },
  known: Job,
  event: JobEvent,
  { rounds = MAX_ROUNDS }: { rounds?: number } = {},
): Promise<Transition> {
  let job: Job | undefined = known;
  for (let round = 0; round < rounds && job !== undefined; round += 1) {
    const now = context.clock.now();
    const decision = decide(job, event, { ...context, now });
    if ('rejected' in decision) return { done: false, rejected: decision.rejected, job };
    if (decision.job === job) return { done: true, job };
    if (needsMessage(job, decision.job))
      await context.dispatchQueues.send(decision.job, { delaySeconds: secondsUntilDue(decision.job, now) });
    const written = await context.jobs.apply(job, decision.job, { sameLease: checksLease(event, decision.job) });
    if (written.applied) return { done: true, job: written.job };
    job = written.current;
  }
  return { done: false, rejected: job === undefined ? 'the job is gone' : 'another write was faster', job };
}

/** Whether the decision assumes that the lease has expired; a heartbeat may still have been in progress. */
function checksLease(event: JobEvent, after: Job): boolean {
  return event.type === 'lose' || (event.type === 'kill' && after.status !== 'RUNNING');
}

/** Whether the change makes the job claimable. */
function needsMessage(before: Job, after: Job): boolean {
  return isReady(after) && (!isReady(before) || bandOf(before) !== bandOf(after));
}

/** Whether a worker of this version may claim the job, now or once it is due. */
export function isReady(job: Job): boolean {
  return job.status === 'QUEUED' && job.parked === undefined && isUnderstood(job);
}

/** Seconds until a waiting job may be claimed. */
export function secondsUntilDue(job: Pick<Job, 'due_at'>, now: number): number {
  return job.due_at === undefined ? 0 : Math.max(0, (Date.parse(job.due_at) - now) / 1000);
}
