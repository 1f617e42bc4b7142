import { isDeepStrictEqual } from 'node:util';
import { isTerminal } from '../../contract/statuses.ts';
import { boundedUsage } from '../../contract/usage.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { type FollowUpContext, makeFollowUps } from '../creation/follow-ups.ts';
import { type EndContext, endAttempt } from '../dispatch/end-attempt.ts';
import { transition } from '../dispatch/transition.ts';
import { isOutputDeleted } from '../lifecycle/deleted-output.ts';
import { attemptsDue } from '../lifecycle/effects.ts';
import { type Evidence, evidenceOf, warned } from '../lifecycle/evidence.ts';
import { followUpIds, slotsOf } from '../lifecycle/follow-up-record.ts';
import type { Job } from '../lifecycle/job.ts';
import { leaseIsOver } from '../lifecycle/lease.ts';
import { wasLost } from '../lifecycle/resume.ts';
import { requireUnderstood } from '../lifecycle/understood.ts';
import type { OutputStore } from '../output/output-store.ts';
import { readableReceipt } from '../output/readable-receipt.ts';
import { STREAMS } from '../receipts/receipt.ts';
import { type RereadAttempt, rereadAttempt } from './reread-attempt.ts';

interface RereadContext extends FollowUpContext, EndContext {
  readonly output: OutputStore;
}

/** The result of rereading a job's output. */
export interface RereadJob {
  readonly job: Job;
  /** What has been corrected: fields of the job, or of an attempt's record. */
  readonly refreshed: readonly string[];
  readonly recoveredFollowUpIds: readonly string[];
}

/**
 * Rebuilds a job's record from the stored output of its attempts: sizes, hashes, usage, session, messages and missing
 * follow-up jobs. If a lost worker left an outcome that was not applied, applies it. Skips an attempt that is running, and those
 * whose output was deleted.
 * Idempotent.
 * @throws NewerSchemaError if only a later version may change the job, or wrote one of its receipts
 */
export async function rereadJob(context: RereadContext, known: Job): Promise<RereadJob> {
  requireUnderstood(known);
  const refreshed = new Set<string>();
  const recovered: string[] = [];
  let job = await endLost(context, known);
  if (job.status !== known.status) refreshed.add('status');
  for (let attempt = 1; attempt <= job.attempt; attempt += 1) {
    if (isOutputDeleted(job, attempt)) continue;
    if (attempt === job.attempt && job.status === 'RUNNING') break;
    const profile = await context.profiles.get(job.profile);
    const read = await rereadAttempt(context.output, { jobId: job.id, attempt }, profile?.agent, profile?.follow_ups);
    for (const name of read.changed) refreshed.add(`attempt ${attempt}: ${name}`);
    const before = job;
    if (attempt === job.attempt) job = await correct(context, job, read);
    if (hasFollowUps(job, attempt, read)) {
      const made = await makeFollowUps(context, job, attempt);
      recovered.push(...made.created);
      job = made.job;
    }
    for (const name of differences(before, job)) refreshed.add(name);
  }
  return { job, refreshed: [...refreshed], recoveredFollowUpIds: recovered };
}

/** Applies the outcome that a lost worker left. If the attempt was a probe, reconcile-jobs starts the parked jobs. */
async function endLost(context: RereadContext, job: Job): Promise<Job> {
  if (!leaseIsOver(job, timestamp(context.clock.now()))) return job;
  const { receipt } = await readableReceipt(context.output, job.id, job.attempt);
  if (receipt === undefined) return job;
  const result = await endAttempt(context, job, receipt);
  return result.job ?? job;
}

async function correct(context: RereadContext, job: Job, read: RereadAttempt): Promise<Job> {
  const evidence = evidenceFrom(job, read);
  const result = await transition(context, job, { type: 'correct', attempt: job.attempt, evidence });
  return result.job ?? job;
}

function evidenceFrom(job: Job, read: RereadAttempt): Evidence {
  const { receipt, streams, facts } = read;
  // The outcome of a lost worker was not applied: a receipt that it wrote later is only evidence.
  if (receipt !== undefined && !isLost(job)) return evidenceOf(receipt);
  const warnings = [...new Set([...lossesOf(job, read), ...(job.attempt_warnings ?? [])])];
  return {
    ...(job.exit_code !== undefined && { exit_code: job.exit_code }),
    ...(job.signal !== undefined && { signal: job.signal }),
    ...(job.error !== undefined && { error: job.error }),
    ...(facts.sessionId !== undefined && { session_id: facts.sessionId }),
    ...usageFrom(job, facts),
    ...warned(warnings),
    // Without a receipt the job's record is the only evidence of lost output. A size that is found here must not become
    // such evidence: a later check would take it for a receipt's.
    ...((job.reason === 'worker_lost' || job.stdout_bytes !== undefined) && {
      stdout_bytes: Math.max(streams.stdout.bytes, job.stdout_bytes ?? 0),
      stderr_bytes: Math.max(streams.stderr.bytes, job.stderr_bytes ?? 0),
    }),
  };
}

function isLost(job: Job): boolean {
  return wasLost(job, job.attempt);
}

/**
 * The usage in the output of an attempt without a record, if the job has none. The usage of a lost attempt is counted with
 * that of a later one that continues its session, and `usage` may be that of an attempt before it.
 */
function usageFrom(job: Job, { usage }: RereadAttempt['facts']): Pick<Evidence, 'usage'> {
  const isCountedLater = isLost(job) || !isTerminal(job.status);
  if (usage === undefined || job.usage !== undefined || isCountedLater) return {};
  return { usage: boundedUsage(usage) };
}

/** The lost output of an attempt without a readable receipt, by the job's record. A lost worker wrote no receipt. */
function lossesOf(job: Job, { receiptState, streams }: RereadAttempt): string[] {
  const shortened = STREAMS.flatMap((stream) => {
    const recorded = job[`${stream}_bytes`] ?? 0;
    const { bytes, complete } = streams[stream];
    if (bytes < recorded) return [`${stream}: ${bytes} of ${recorded} recorded bytes are kept`];
    return complete ? [] : [`${stream}: what came after byte ${bytes} is not kept`];
  });
  if (job.reason === 'worker_lost') return shortened;
  const noReceipt =
    receiptState === 'corrupt'
      ? ['the record of the newest attempt is unreadable']
      : job.stdout_bytes === undefined
        ? []
        : ['the record of the newest attempt is gone'];
  return [...noReceipt, ...shortened];
}

/** Whether follow-up jobs of the attempt should exist: it succeeded, and its success was applied. */
function hasFollowUps(job: Job, attempt: number, { receipt }: RereadAttempt): boolean {
  if (receipt?.follow_ups === undefined) return false;
  return (
    (attempt === job.attempt && job.status === 'SUCCEEDED') ||
    attemptsDue(job, 'follow_ups').includes(attempt) ||
    slotsOf(job).some((slot) => slot.attempt === attempt)
  );
}

const SHOWN = [
  'exit_code',
  'signal',
  'error',
  'session_id',
  'usage',
  'stdout_bytes',
  'stderr_bytes',
  'warnings',
] as const satisfies readonly (keyof Job)[];

function differences(before: Job, after: Job): string[] {
  const names: string[] = SHOWN.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return isDeepStrictEqual(followUpIds(before), followUpIds(after)) ? names : [...names, 'follow_up_ids'];
}
