import type { LaterCode } from '../../contract/later-code.ts';
import type { Band } from '../../platform/aws/tables.ts';
import type { Job } from '../lifecycle/job.ts';
import type { ParkReason } from '../lifecycle/parking.ts';

/** Partition of the ready index with the claimable jobs of a band and project, the best first. */
export function readyKey(band: Band, projectId: string): string {
  return `${band}#${projectId}`;
}

/** Partition of the ready index with ended jobs that have due effects, and jobs that are to get their turn. */
export const EFFECTS_KEY = 'effects';

/** Partition of the ready index with the jobs parked for a reason, the one to be checked next first. */
export function parkedKey(reason: ParkReason | LaterCode): string {
  return `parked#${reason}`;
}

/** Partition of the ready index with the jobs that wait for a folder, the best first. */
export function folderKey(folder: string): string {
  return `parked#folder#${folder}`;
}

/** Partition of the ready index with the jobs that wait for a profile's slot, the best first. */
export function profileKey(profile: string): string {
  return `parked#profile#${profile}`;
}

/** Partition of the ready index with the jobs whose question is open, the one with the first deadline first. */
export const QUESTION_KEY = 'parked#question';

/** Partition of the ready index with the turns of a thread that wait for an earlier one, by turn. */
export function threadKey(threadId: string): string {
  return `parked#thread#${threadId}`;
}

/** Sorts turns by their number. */
export function turnOrder(turn: number): string {
  return String(turn).padStart(8, '0');
}

/** Sorts the highest priority first, then the longest wait. */
export function readyOrder(job: Pick<Job, 'priority' | 'queued_at' | 'created_at'>): string {
  const inverted = BigInt(Number.MAX_SAFE_INTEGER) - BigInt(job.priority);
  return `${inverted.toString().padStart(17, '0')}#${job.queued_at ?? job.created_at}`;
}
