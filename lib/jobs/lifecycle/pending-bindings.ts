import type { Job } from './job.ts';

/** The job with a pending deployment of an attempt. */
export function withPendingBindings(job: Job, attempt: number): Job {
  if (job.bindings_pending?.includes(attempt)) return job;
  return { ...job, bindings_pending: [...(job.bindings_pending ?? []), attempt] };
}

/** The job once the deployments of an attempt are done. */
export function withoutPendingBindings({ bindings_pending = [], ...job }: Job, attempt: number): Job {
  const pending = bindings_pending.filter((one) => one !== attempt);
  return { ...job, ...(pending.length > 0 && { bindings_pending: pending }) };
}
