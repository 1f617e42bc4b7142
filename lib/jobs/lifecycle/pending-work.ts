import { LIMITS } from '../../contract/limits.ts';
import type { Job } from './job.ts';
import type { Decision } from './job-event.ts';

/** Whether anything is pending that comes after a job's end. */
export function hasPendingWork({ children_pending, bindings_pending, messages_pending, thread_pending }: Job): boolean {
  return [children_pending, bindings_pending, messages_pending, thread_pending].some(
    (pending) => pending !== undefined,
  );
}

/** The job with a pending deployment of an attempt. */
export function withPendingBindings(job: Job, attempt: number): Job {
  const released = withReleasedCommands(job);
  if (job.bindings_pending?.includes(attempt)) return released;
  return { ...released, bindings_pending: [...(job.bindings_pending ?? []), attempt] };
}

/** The job once the deployments of an attempt are done. */
export function withoutPendingBindings({ bindings_pending = [], ...job }: Job, attempt: number): Job {
  const pending = bindings_pending.filter((one) => one !== attempt);
  return { ...withReleasedCommands(job), ...(pending.length > 0 && { bindings_pending: pending }) };
}

/** The job whose pending commands are looked at again. */
export function withReleasedCommands({ commands_held: _held, ...job }: Job): Job {
  return job;
}

/** The job with another message; it is stored with the same write. */
export function withMessage(job: Job, at: string): Decision {
  const { messages = 0 } = job;
  if (job.status !== 'QUEUED' && job.status !== 'RUNNING')
    return { rejected: `only a QUEUED or RUNNING job takes messages; this one is ${job.status}` };
  if (job.cancel_requested_at !== undefined) return { rejected: 'the job is being cancelled' };
  if (messages >= LIMITS.messages.perJob) return { rejected: `a job takes at most ${LIMITS.messages.perJob} messages` };
  return { job: { ...job, messages: messages + 1, updated_at: at } };
}

/** The job once what became of this many messages is decided. */
export function withoutPendingMessages(job: Job, messages: number): Job {
  if (job.messages !== messages) return job;
  const { messages_pending: _pending, ...settled } = job;
  return settled;
}

/** The ended job of a thread, whose other turns are to be checked; or a fork, for which another thread may wait. */
export function withThreadPending(job: Job): Job {
  return job.thread_id === undefined && job.forked_from === undefined ? job : { ...job, thread_pending: true };
}
