import { expect } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { Decision, JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { decide } from '../../../../lib/jobs/lifecycle/lifecycle.ts';

/** The time of decisions, while the lease of `aRunningJob` lasts. */
const NOW = Date.parse('2026-11-20T10:00:10.000Z');
export const AT = new Date(NOW).toISOString();

function decided(job: Job, event: JobEvent, now = NOW): Decision {
  return decide(job, event, { now, random: () => 0.5 });
}

/** The job after an event that its state allows. */
export function next(job: Job, event: JobEvent, now = NOW): Job {
  const decision = decided(job, event, now);
  if ('rejected' in decision) return expect.fail(decision.rejected);
  return decision.job;
}

/** Why an event is rejected; undefined: it is not. */
export function refusal(job: Job, event: JobEvent, now = NOW): string | undefined {
  const decision = decided(job, event, now);
  return 'rejected' in decision ? decision.rejected : undefined;
}
