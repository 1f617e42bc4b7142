import { isKnown, type LaterCode } from '../../contract/later-code.ts';

/** Vendor conditions that a job can wait for although it is QUEUED and due. */
export const PARK_REASONS = ['account_required', 'usage_limit', 'vendor_overloaded'] as const;
export type ParkReason = (typeof PARK_REASONS)[number];

/** Resources of this deployment that a job can wait for: a free folder, or a free slot of its profile. */
export const BUSY_REASONS = ['folder_busy', 'profile_busy'] as const;

/**
 * Events that a job can wait for and that one action brings about: an answer, or the end of an earlier turn of its
 * thread. Nothing probes for them, and no release in bulk applies to them.
 */
const AWAITED_REASONS = ['question', 'waiting_for_thread', 'thread_stopped'] as const;

/** All that a QUEUED job can be parked for. */
export const PARKINGS = [...PARK_REASONS, ...BUSY_REASONS, ...AWAITED_REASONS] as const;

/** Reasons of a QUEUED job that waits only for a worker. */
export const READY_REASONS = ['waiting_for_worker', 'retry_backoff', 'worker_lost'] as const;

/** What a job is parked for, if it is. */
type Parked = (typeof PARKINGS)[number] | LaterCode | undefined;

/** Whether a job is parked because a resource of this deployment is busy. */
export function isBusy(parked: Parked): parked is (typeof BUSY_REASONS)[number] {
  return parked === 'folder_busy' || parked === 'profile_busy';
}

/** Whether a job is parked because of its vendor account. */
export function isForVendor(parked: Parked): parked is ParkReason {
  return parked !== undefined && isKnown(PARK_REASONS, parked);
}

/** Whether a job is parked until an event that one action brings about. */
export function isAwaiting(parked: Parked): parked is (typeof AWAITED_REASONS)[number] {
  return parked !== undefined && isKnown(AWAITED_REASONS, parked);
}

/** Whether a job is parked in its thread. */
export function waitsInThread(parked: Parked): parked is 'waiting_for_thread' | 'thread_stopped' {
  return parked === 'waiting_for_thread' || parked === 'thread_stopped';
}

/** Whether a waiting job must be unparked before a claim; also true if only a later version knows why it waits. */
export function isParked({ reason }: { readonly reason: string }): boolean {
  return !isKnown(READY_REASONS, reason);
}
