import { isKnown } from '../../contract/later-code.ts';
import { isTerminal, REASON_CODES, STATUSES } from '../../contract/schemas/job.ts';
import { type Job, PARKINGS } from './job.ts';
import { NewerSchemaError } from './newer-schema.ts';
import { OUTCOME_KINDS, type Outcome } from './receipt.ts';

/**
 * Whether this version understands what a job is doing. If a later version gave it a state, a parking, or a reason to
 * wait or to run that this version doesn't know, only that version changes it. The reason of an end decides nothing, and
 * neither does what the job probes for: without a reason to wait of its own it runs like any other.
 */
export function isUnderstood({ status, reason, parked }: Job): boolean {
  if (!isKnown(STATUSES, status)) return false;
  if (parked !== undefined && !isKnown(PARKINGS, parked)) return false;
  return isTerminal(status) || isKnown(REASON_CODES, reason);
}

/** @throws NewerSchemaError if only a later version may change the job */
export function requireUnderstood(job: Job): void {
  if (!isUnderstood(job)) throw new NewerSchemaError(`job ${job.id}`);
}

/** Whether this version knows what follows from an outcome. */
export function isUnderstoodOutcome({ kind, reason }: Outcome): boolean {
  return isKnown(OUTCOME_KINDS, kind) && isKnown(REASON_CODES, reason);
}
