import { waitsInThread } from './gates.ts';
import type { Job } from './job.ts';
import type { Decision, JobEvent, ThreadWait } from './job-event.ts';
import { queuedAgain, withoutProbe } from './queued-again.ts';

type ThreadEvent = Extract<JobEvent, { type: 'begin_thread' | 'take_turn' | 'wait_for_thread' | 'fork_copied' }>;

/** Decides the events that concern a job's place in its thread. */
export function decideInThread(job: Job, event: ThreadEvent, at: string): Decision {
  switch (event.type) {
    case 'begin_thread':
      if (job.status === 'DRAFT') return { rejected: "a draft can't be continued or forked" };
      if (job.removing === true) return { rejected: 'the job is being removed' };
      if (job.thread_id !== undefined) return { job };
      return { job: { ...job, thread_id: job.id, turn: 1, updated_at: at } };
    case 'take_turn': {
      if (!awaitsTurn(job)) return { rejected: 'the job does not wait for its turn' };
      const placed = { ...job, turn: event.turn, ...(event.afterEnd && { after_any: true }) };
      return { job: event.wait === undefined ? ready(placed, at) : waiting(placed, event.wait, at) };
    }
    case 'wait_for_thread':
      if (job.status !== 'QUEUED' || (job.parked !== undefined && !waitsInThread(job.parked)))
        return { rejected: 'the job is not claimable' };
      if (job.turn === undefined) return { rejected: 'the job has no turn yet' };
      if (event.wait.stopped && job.after_any === true) return { rejected: 'the job starts however others end' };
      return { job: isSame(job, event.wait) ? job : waiting(job, event.wait, at) };
    case 'fork_copied':
      if (job.status !== 'RUNNING' || job.attempt !== event.attempt)
        return { rejected: `attempt ${event.attempt} no longer runs` };
      return { job: lacksCopy(job) ? withCopy(job, event.attempt, at) : job };
  }
}

/** Whether a job of a thread still has to get its turn. */
export function awaitsTurn({ status, parked, turn }: Pick<Job, 'status' | 'parked' | 'turn'>): boolean {
  return status === 'QUEUED' && waitsInThread(parked) && turn === undefined;
}

/** Whether a job is a fork whose copy is not made yet. */
export function lacksCopy({ forked_from, copied_by }: Pick<Job, 'forked_from' | 'copied_by'>): boolean {
  return forked_from !== undefined && copied_by === undefined;
}

/** The fork with its copy, which no longer keeps others out of the folder that it has copied. */
function withCopy({ folder: _copied, ...fork }: Job, attempt: number, at: string): Job {
  return { ...fork, copied_by: attempt, updated_at: at };
}

/** The draft, queued. */
export function submitted(job: Job, at: string): Job {
  return inItsTurn({ ...job, status: 'QUEUED', reason: 'waiting_for_worker', queued_at: at, updated_at: at });
}

/** The queued job; if it continues another one and has no turn, it first gets one. */
export function inItsTurn(job: Job): Job {
  if (job.status !== 'QUEUED' || job.continues === undefined || job.turn !== undefined) return job;
  return { ...job, reason: 'waiting_for_thread', parked: 'waiting_for_thread' };
}

function ready(job: Job, at: string): Job {
  return queuedAgain(job, { reason: 'waiting_for_worker', updated_at: at });
}

function waiting(job: Job, wait: ThreadWait, at: string): Job {
  const parked = reasonOf(wait);
  // A probe that waits can't find anything out: another job becomes the probe.
  return queuedAgain(withoutProbe(job), { reason: parked, parked, waits_for: wait.job, updated_at: at });
}

function isSame(job: Job, wait: ThreadWait): boolean {
  return job.parked === reasonOf(wait) && job.waits_for === wait.job;
}

function reasonOf({ stopped }: ThreadWait): 'thread_stopped' | 'waiting_for_thread' {
  return stopped ? 'thread_stopped' : 'waiting_for_thread';
}
