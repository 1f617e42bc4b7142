import type { Status } from '../../contract/statuses.ts';
import { boundedUsage } from '../../contract/usage.ts';
import { evidenceOf } from '../lifecycle/evidence.ts';
import type { Job } from '../lifecycle/job.ts';
import { usedByLost } from '../lifecycle/resume.ts';
import type { Receipt } from '../receipts/receipt.ts';
import type { Annotated } from './job-view.ts';

/** The status of an ended attempt by outcome. After `parked` or `handed_back` the job waited for its next attempt. */
const STATUS_OF_OUTCOME: Readonly<Record<string, Status>> = {
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
};

/**
 * A job as an earlier attempt left it: state, times and evidence are from that attempt, everything else is from the
 * job.
 * @param receipt undefined: the attempt's worker was lost before it wrote one
 */
export function asOfAttempt(job: Annotated<Job>, attempt: number, receipt: Receipt | undefined): Job {
  const {
    exit_code: _code,
    signal: _signal,
    error: _error,
    session_id: _session,
    usage: _usage,
    agent: _agent,
    model_used: _model,
    stdout_bytes: _stdout,
    stderr_bytes: _stderr,
    attempt_warnings: _warnings,
    has_changes: _changes,
    resumed_from: _resumed,
    started_at: _started,
    finished_at: _finished,
    due_at: _due,
    waiting_note: _note,
    ...rest
  } = job;
  const follow_ups = job.follow_ups?.filter((entry) => entry.startsWith(`${attempt}.`));
  const earlier = { ...rest, attempt, ...(follow_ups !== undefined && { follow_ups }) };
  if (receipt === undefined)
    return { ...earlier, ...usageOfLost(job, attempt), status: 'QUEUED', reason: 'worker_lost' };
  const { kind, reason } = receipt.outcome;
  return {
    ...earlier,
    ...evidenceOf(receipt),
    status: STATUS_OF_OUTCOME[kind] ?? 'QUEUED',
    reason,
    started_at: receipt.started_at,
    finished_at: receipt.finished_at,
  };
}

/**
 * A job as its newest attempt leaves it. The table keeps an earlier attempt's session and usage until a newer one
 * reports its own.
 * @param receipt undefined: the attempt has not ended, or its record can't be read
 */
export function asOfNewestAttempt(job: Annotated<Job>, receipt: Receipt | undefined): Job {
  const { session_id: _session, usage: _usage, ...rest } = job;
  if (receipt === undefined) return { ...(hasReported(job) ? job : rest), ...usageOfLost(job, job.attempt) };
  const { session_id, usage } = evidenceOf(receipt);
  return { ...rest, ...(session_id !== undefined && { session_id }), ...(usage !== undefined && { usage }) };
}

/** What an attempt without a receipt had used when it was lost. */
function usageOfLost(job: Job, attempt: number): Pick<Job, 'usage'> {
  const used = usedByLost(job, attempt);
  return used === undefined ? {} : { usage: boundedUsage(used) };
}

/** A claim removes the byte counts of the previous attempt. */
function hasReported({ stdout_bytes }: Pick<Job, 'stdout_bytes'>): boolean {
  return stdout_bytes !== undefined;
}
