import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '../../contract/schemas/job.ts';
import type { Job } from '../lifecycle/job.ts';
import type { JobStore } from '../store/job-store.ts';

/** Milliseconds between two polls: short at first, because most waits are for a job that has just begun or ended. */
const POLL_MS = { first: 250, longest: 2_000, growth: 1.5 } as const;

/** Waits until the job's state, reason or attempt differs from `job`'s, it has ended, or `seconds` have passed. */
export async function waitForChange(jobs: JobStore, job: Job, seconds: number): Promise<Job> {
  const end = performance.now() + seconds * 1000;
  let pause: number = POLL_MS.first;
  let latest = job;
  while (sameState(latest, job) && !isTerminal(latest.status)) {
    const left = end - performance.now();
    if (left <= 0) break;
    await sleep(Math.min(pause, left));
    pause = Math.min(POLL_MS.longest, pause * POLL_MS.growth);
    latest = (await jobs.get(job.id, { consistent: true })) ?? latest;
  }
  return latest;
}

function sameState(a: Job, b: Job): boolean {
  return a.status === b.status && a.reason === b.reason && a.attempt === b.attempt;
}
