import type { Job } from './job.ts';

/** The job with an attempt on which deploy bindings still have to act. */
export function withPendingBindings(job: Job, attempt: number): Job {
  if (job.bindings_pending?.includes(attempt)) return job;
  return { ...job, bindings_pending: [...(job.bindings_pending ?? []), attempt] };
}

/** The job once deploy bindings are done with an attempt. */
export function withoutPendingBindings({ bindings_pending = [], ...job }: Job, attempt: number): Job {
  const pending = bindings_pending.filter((one) => one !== attempt);
  return { ...job, ...(pending.length > 0 && { bindings_pending: pending }) };
}
