import type { Job } from './job.ts';

/** Milliseconds. */
export const LEASE = {
  /** How far a heartbeat pushes the lease. */
  duration: 30_000,
  heartbeatEvery: 10_000,
  /** How often a worker looks for cancel and kill between heartbeats. */
  lookEvery: 2_000,
  /** A worker without an acknowledged heartbeat for this long ends its attempt itself: its lease is about to be over. */
  selfFence: 20_000,
} as const;

/** A worker whose registration is not acknowledged for this long ends: its jobs were taken over long before. */
export const UNACKNOWLEDGED_LIMIT_MS = 6 * LEASE.duration;

/** Whether a running attempt's claim on its job is over. Everyone judges by the table's time. */
export function leaseIsOver(job: Pick<Job, 'status' | 'lease_until'>, nowIso: string): boolean {
  return job.status === 'RUNNING' && (job.lease_until === undefined || job.lease_until < nowIso);
}
