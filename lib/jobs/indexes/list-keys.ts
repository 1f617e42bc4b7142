import { createHash } from 'node:crypto';
import { GATES, gateKind } from '../lifecycle/gates.ts';
import type { Job } from '../lifecycle/job.ts';

/** The partitions of a list, by suffix: a job is in one of them by a hash of its id. */
const LIST_SUFFIXES = ['0', '1', '2', '3'] as const;

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
 * QUEUED jobs that are parked for their vendor, a folder or a profile are apart too: the reconciler reads them, but no
 * worker is launched for them.
 */
const HELD_STATE = 'QUEUED-held';
/**
 * Jobs with an open question are apart, so that people find them: those that are parked for it, and those whose agent
 * still waits for a quick answer.
 */
const ASKING_STATES = { QUEUED: 'QUEUED-question', RUNNING: 'RUNNING-question' } as const;
const PARKED_STATES = { held: HELD_STATE, awaiting: AWAITING_STATE, asking: ASKING_STATES.QUEUED } as const;
/** The states in the index by status of RUNNING jobs. */
export const RUNNING_STATES = ['RUNNING', ASKING_STATES.RUNNING] as const;

/** Begins the states in the index by status of system jobs, and their partitions of the index by time. */
const SYSTEM = 'system';

/** The partition of the index by time with a job. */
export function listKeyOf(job: Pick<Job, 'id' | 'cause'>): string {
  return `${job.cause.kind === 'system' ? SYSTEM : 'jobs'}#${suffixOf(job)}`;
}

/** The state in whose partitions of the index by status a job is. */
export function indexedState(job: Pick<Job, 'status' | 'parked' | 'question' | 'cause'>): string {
  return job.cause.kind === 'system' ? systemState(stateOf(job)) : stateOf(job);
}

/** The state of a system job in the index by status. */
export function systemState(state: string): string {
  return `${SYSTEM}-${state}`;
}

function stateOf({ status, parked, question }: Pick<Job, 'status' | 'parked' | 'question'>): string {
  if (status === 'RUNNING') return question?.state === 'open' ? ASKING_STATES.RUNNING : status;
  if (status !== 'QUEUED') return status;
  const kind = gateKind(parked);
  return kind === undefined ? status : PARKED_STATES[GATES[kind].listed];
}

/** Which QUEUED jobs are read. */
export type QueuedPart = 'ready' | 'ready_and_held' | 'all';

const QUEUED_STATES = {
  ready: ['QUEUED'],
  ready_and_held: ['QUEUED', HELD_STATE],
  all: ['QUEUED', HELD_STATE, AWAITING_STATE, ASKING_STATES.QUEUED],
} as const satisfies Record<QueuedPart, readonly string[]>;

/**
 * The partitions of the index by status with the jobs in a state. SUCCEEDED jobs are only in the index by time. System
 * jobs are left out only where all others are read: for clients.
 */
export function statusKeys(status: Exclude<Job['status'], 'SUCCEEDED'>, queued: QueuedPart = 'all'): string[] {
  const states = status === 'RUNNING' ? RUNNING_STATES : status === 'QUEUED' ? QUEUED_STATES[queued] : [status];
  if (queued === 'all') return spread(states);
  // A system job asks nothing.
  const system = states.filter((state) => state !== ASKING_STATES.RUNNING).map(systemState);
  return spread([...states, ...system]);
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
