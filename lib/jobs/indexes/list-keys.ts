import { createHash } from 'node:crypto';
import type { Job } from '../lifecycle/job.ts';
import { isAwaiting } from '../lifecycle/parking.ts';

/** The partitions of a list, by suffix: a job is in one of them by a hash of its id. Earlier versions used the first. */
export const LIST_SUFFIXES = ['0', '1', '2', '3'] as const;

/** The partitions of the index by time. */
export function listKeys(): string[] {
  return LIST_SUFFIXES.map((suffix) => `jobs#${suffix}`);
}

/**
 * In the index by status, QUEUED jobs that await an event are in partitions apart: whatever looks for jobs that need a
 * worker reads none of them.
 */
const AWAITING_STATE = 'QUEUED-parked';
/** Those that await an answer are apart from those that await their thread, so that people find them. */
export const ASKING_STATE = 'QUEUED-question';

/** The state in whose partitions of the index by status a job is. */
export function indexedState({ status, parked }: Pick<Job, 'status' | 'parked'>): string {
  if (status !== 'QUEUED' || !isAwaiting(parked)) return status;
  return parked === 'question' ? ASKING_STATE : AWAITING_STATE;
}

/**
 * The partitions of the index by status with the jobs in a state. SUCCEEDED jobs are only in the index by time.
 * @param options.awaiting whether those that await an event are included; default: they are
 */
export function statusKeys(status: Exclude<Job['status'], 'SUCCEEDED'>, { awaiting = true } = {}): string[] {
  const states = status === 'QUEUED' && awaiting ? [status, AWAITING_STATE, ASKING_STATE] : [status];
  return states.flatMap((state) => LIST_SUFFIXES.map((suffix) => `${state}#${suffix}`));
}

/** The partitions of the index by status with the jobs that await an answer. */
export function askingKeys(): string[] {
  return LIST_SUFFIXES.map((suffix) => `${ASKING_STATE}#${suffix}`);
}

/** The suffix of the partitions that a job is in. */
export function suffixOf({ id }: Pick<Job, 'id'>): string {
  const [byte = 0] = createHash('sha256').update(id).digest();
  return LIST_SUFFIXES[byte % LIST_SUFFIXES.length] ?? LIST_SUFFIXES[0];
}
