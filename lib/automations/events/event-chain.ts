import { LIMITS } from '../../contract/limits.ts';
import type { EventView } from '../../contract/schemas/event.ts';
import { automationOf } from '../../jobs/lifecycle/cause.ts';
import type { JobStore } from '../../jobs/store/job-store.ts';

/** Jobs that are looked at, from one to what brought it about. Trees of jobs are not deeper. */
const MOST_JOBS = 50;

/**
 * The place of the job that an event would start, in the chain of jobs that brought each other about.
 * @returns how many events are in the chain, or why it must not continue: a job of this automation is in it, or too many are
 * @throws Error while only a later version can read a job of the chain
 */
export async function placeInChain(
  { jobs }: { readonly jobs: Pick<JobStore, 'find'> },
  automation: string,
  event: Pick<EventView, 'job_id' | 'automation'>,
): Promise<{ readonly depth: number } | 'circle' | 'too_deep'> {
  if (event.automation === automation) return 'circle';
  let depth: number | undefined;
  let at = event.job_id ?? undefined;
  for (let looked = 0; at !== undefined; looked += 1) {
    if (looked === MOST_JOBS) return 'too_deep';
    const job = await jobs.find(at);
    if (job === 'newer') throw new Error(`job ${at} has a newer schema`);
    if (job === undefined) break;
    const { cause } = job;
    if (automationOf(cause) === automation) return 'circle';
    if (cause.kind === 'event') depth ??= cause.depth;
    at = 'job' in cause ? cause.job : undefined;
  }
  const next = (depth ?? 0) + 1;
  return next > LIMITS.automations.eventDepth ? 'too_deep' : { depth: next };
}
