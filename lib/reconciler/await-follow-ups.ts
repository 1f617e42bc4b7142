import { setTimeout as sleep } from 'node:timers/promises';
import { effectOf } from '../jobs/lifecycle/effects.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import type { Clock } from '../platform/aws/table-clock.ts';

/** Milliseconds. The worker creates follow-up jobs right after its report; later ones come from the reconciler. */
const WAIT_MS = { pollEvery: 50, longest: 3_000 } as const;

/** Waits until an ended job's follow-up jobs exist, so that a client that waited for its end sees them. */
export async function awaitFollowUps(
  context: { jobs: JobStore; clock: Clock; pause?: (milliseconds: number) => Promise<unknown> },
  job: Job,
): Promise<Job> {
  const { pause = sleep } = context;
  let latest = job;
  while (awaitsFollowUps(latest, context.clock.now())) {
    await pause(WAIT_MS.pollEvery);
    latest = (await context.jobs.get(job.id, { consistent: true })) ?? latest;
  }
  return latest;
}

function awaitsFollowUps(job: Job, now: number): boolean {
  return effectOf(job, 'follow_ups') !== undefined && now - Date.parse(job.finished_at ?? '') < WAIT_MS.longest;
}
