import { isKnown } from '../../contract/later-code.ts';
import { REASON_CODES } from '../../contract/schemas/jobs/job-state.ts';
import { isTerminal, STATUSES } from '../../contract/statuses.ts';
import { OUTCOME_KINDS, type Outcome } from '../receipts/receipt.ts';
import { PARKINGS } from './gates.ts';
import type { Job } from './job.ts';
import { NewerSchemaError } from './newer-schema.ts';

/**
 * Whether this version understands a job's state. If a later version gave it a status, a parking reason, or a reason to
 * wait or run that this version doesn't know, only that version may change it. The reason of an end decides nothing;
 * nor does the reason that a job probes for.
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

/** Whether this version can apply an outcome. */
export function isUnderstoodOutcome({ kind, reason }: Outcome): boolean {
  return isKnown(OUTCOME_KINDS, kind) && isKnown(REASON_CODES, reason);
}
