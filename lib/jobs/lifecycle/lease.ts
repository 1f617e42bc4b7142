import type { Job } from './job.ts';

/** All in milliseconds. */
export const LEASE = {
  /** How far a heartbeat extends the lease. */
  duration: 30_000,
  heartbeatEvery: 10_000,
  /** How often a worker checks for cancel and kill between heartbeats. */
  lookEvery: 2_000,
  /** A worker without an acknowledged heartbeat for this long ends its attempt: its lease is about to expire. */
  selfFence: 20_000,
} as const;

/** Whether a running attempt's lease has expired, by the table's time. */
export function leaseIsOver(job: Pick<Job, 'status' | 'lease_until'>, nowIso: string): boolean {
  return job.status === 'RUNNING' && (job.lease_until === undefined || job.lease_until < nowIso);
}
