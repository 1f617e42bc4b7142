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
/**
 * Jobs with an open question are apart, so that people find them: those that are parked for it, and those whose agent
 * still waits for a quick answer.
 */
const ASKING_STATES = { QUEUED: 'QUEUED-question', RUNNING: 'RUNNING-question' } as const;
/** The states in the index by status of RUNNING jobs. */
export const RUNNING_STATES = ['RUNNING', ASKING_STATES.RUNNING] as const;

/** The state in whose partitions of the index by status a job is. */
export function indexedState({ status, parked, question }: Pick<Job, 'status' | 'parked' | 'question'>): string {
  if (status === 'RUNNING') return question?.state === 'open' ? ASKING_STATES.RUNNING : status;
  if (status !== 'QUEUED' || !isAwaiting(parked)) return status;
  return parked === 'question' ? ASKING_STATES.QUEUED : AWAITING_STATE;
}

/**
 * The partitions of the index by status with the jobs in a state. SUCCEEDED jobs are only in the index by time.
 * @param options.awaiting whether those that await an event are included; default: they are
 */
export function statusKeys(status: Exclude<Job['status'], 'SUCCEEDED'>, { awaiting = true } = {}): string[] {
  if (status === 'RUNNING') return spread(RUNNING_STATES);
  return spread(status === 'QUEUED' && awaiting ? [status, AWAITING_STATE, ASKING_STATES.QUEUED] : [status]);
}

/** The states in the index by status of the jobs with an open question. @param status default: all */
export function askingStates(status?: string): string[] {
  return Object.entries(ASKING_STATES).flatMap(([one, state]) =>
    status === undefined || status === one ? [state] : [],
  );
}

/** The partitions of the index by status with the jobs in some of its states. */
export function spread(states: readonly string[]): string[] {
  return states.flatMap((state) => LIST_SUFFIXES.map((suffix) => `${state}#${suffix}`));
}

/** The suffix of the partitions that a job is in. */
export function suffixOf({ id }: Pick<Job, 'id'>): string {
  const [byte = 0] = createHash('sha256').update(id).digest();
  return LIST_SUFFIXES[byte % LIST_SUFFIXES.length] ?? LIST_SUFFIXES[0];
}
