import { isDeepStrictEqual } from 'node:util';
import { isTerminal } from '../../contract/schemas/job.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { corrected, type Evidence, evidenceOf } from './evidence.ts';
import { type MadeFollowUps, withFollowUps, withPendingChildren } from './follow-up-record.ts';
import { type BUSY_REASONS, isBusy, type Job, type ParkReason } from './job.ts';
import type { DraftEdit, JobEdit } from './job-edit.ts';
import { LEASE, leaseIsOver } from './lease.ts';
import { withoutPendingBindings, withPendingBindings } from './pending-bindings.ts';
import { addUsage, type Receipt } from './receipt.ts';
import { unlessEdited, withoutResume, withResume } from './resume.ts';
import { isUnderstood, isUnderstoodOutcome } from './understood.ts';

/** How many worker losses a round tolerates. */
export const MAX_LOSSES = 3;

/** How often a round restarts without using up a retry because another process renewed its vendor login. */
export const MAX_LOGIN_RESTARTS = 3;

/** Milliseconds between a failure and the next attempt: `base · 2^n`, at most `max`, full jitter. */
export const BACKOFF = { base: 5_000, max: 300_000 } as const;

/** Milliseconds until a parked job may be probed, if the vendor doesn't report when its limit ends. */
export const PROBE_INTERVALS_MS: Readonly<Record<ParkReason, number>> = {
  account_required: 60_000,
  usage_limit: 300_000,
};

/** What can happen to a job. */
export type JobEvent =
  | { readonly type: 'submit' }
  | { readonly type: 'edit'; readonly changes: JobEdit }
  | { readonly type: 'edit_draft'; readonly changes: DraftEdit }
  | { readonly type: 'retry' }
  /** The parking reason no longer applies. `probe`: it may still apply, and this job alone finds out. */
  | { readonly type: 'unpark'; readonly reason: NonNullable<Job['parked']>; readonly probe?: false }
  | { readonly type: 'unpark'; readonly reason: ParkReason; readonly probe: true }
  /** Another job uses its folder, which runs one job at a time. */
  | { readonly type: 'wait_for_folder'; readonly folder: string }
  /** All slots of its profile are taken. */
  | { readonly type: 'wait_for_profile' }
  /** `folder`: name of the folder that it uses exclusively; `place`: name of its profile's slot. */
  | {
      readonly type: 'claim';
      readonly workerId: string;
      readonly folder?: string | undefined;
      readonly place?: string | undefined;
    }
  | { readonly type: 'cancel' }
  | { readonly type: 'kill' }
  /** `bindings`: whether deploy bindings of its project apply to a success. */
  | { readonly type: 'end'; readonly receipt: Receipt; readonly bindings?: boolean }
  /** `forgiven`: the table may have prevented the worker from renewing its lease, so the loss is not counted. */
  | { readonly type: 'lose'; readonly forgiven?: boolean }
  /** An attempt's follow-up jobs exist at these positions. `warnings`: why others do not. */
  | ({ readonly type: 'follow_up' } & MadeFollowUps)
  /** A succeeded attempt is to be deployed again, or its deployments are done. */
  | { readonly type: 'deploy'; readonly attempt: number }
  | { readonly type: 'deployed'; readonly attempt: number }
  /** Remove a job that ended before this time (RFC 3339). */
  | { readonly type: 'remove'; readonly endedBefore: string }
  /** The newest attempt's evidence was read again from its output. The job's state does not change. */
  | { readonly type: 'correct'; readonly attempt: number; readonly evidence: Evidence };

/** A decision: the next job, the same job (nothing to do), or the reason of a rejection. */
export type Decision = { readonly job: Job } | { readonly rejected: string };

/** Time (ms, by the table's clock) and randomness (0 to 1) of a decision. */
export interface Circumstances {
  readonly now: number;
  readonly random: () => number;
  /** Default: `PROBE_EVERY`. */
  readonly probeEvery?: Readonly<Record<ParkReason, number>> | undefined;
}

/**
 * The job lifecycle: state and event give the next state or a rejection. Pure: the caller writes the result on
 * condition that the job still has the `version` that was decided on.
 */
export function decide(job: Job, event: JobEvent, circumstances: Circumstances): Decision {
  const { now } = circumstances;
  const at = timestamp(now);
  // The outcome of the current attempt ends a job even if a later version has changed it meanwhile.
  if (event.type !== 'end' && !isUnderstood(job)) return { rejected: 'a newer version of the service changed the job' };
  switch (event.type) {
    case 'submit':
      if (job.status !== 'DRAFT') return { rejected: `only a draft can be submitted; this job is ${job.status}` };
      return { job: { ...job, status: 'QUEUED', reason: 'waiting_for_worker', queued_at: at, updated_at: at } };
    case 'edit':
      if (job.status !== 'QUEUED')
        return { rejected: `a job can be edited only while it is QUEUED; this one is ${job.status}` };
      // Its folder or profile may have changed.
      return {
        job: {
          ...unlessEdited(isBusy(job.parked) ? queuedAgain(job, { reason: 'waiting_for_worker' }) : job, event.changes),
          ...event.changes,
          updated_at: at,
        },
      };
    case 'edit_draft':
      if (job.status !== 'DRAFT') return { rejected: `only a draft can be edited as one; this job is ${job.status}` };
      return { job: { ...job, ...event.changes, updated_at: at } };
    case 'retry':
      if (!isTerminal(job.status))
        return { rejected: `only a job that has ended can be retried; this one is ${job.status}` };
      if (job.removing === true) return { rejected: 'the job is being removed' };
      return { job: queuedAnew(job, at) };
    case 'unpark':
      // Only QUEUED jobs are parked.
      if (job.parked !== event.reason) return { rejected: `the job is not parked for ${event.reason}` };
      return {
        job: queuedAgain(job, {
          reason: 'waiting_for_worker',
          updated_at: at,
          ...(event.probe === true && { probing: event.reason }),
        }),
      };
    case 'wait_for_folder':
      return waitingFor(job, { parked: 'folder_busy', folder: event.folder }, at);
    case 'wait_for_profile':
      return waitingFor(job, { parked: 'profile_busy' }, at);
    case 'claim':
      if (job.status !== 'QUEUED') return { rejected: `a job in state ${job.status} can't be claimed` };
      if (job.parked !== undefined) return { rejected: `the job is parked: ${job.parked}` };
      if (job.due_at !== undefined && job.due_at > at) return { rejected: `the job is not due before ${job.due_at}` };
      return { job: claimed(job, event, now) };
    case 'cancel':
      if (job.status === 'DRAFT' || job.status === 'QUEUED')
        return { job: ended(job, 'CANCELLED', 'cancelled_by_request', at) };
      if (job.status === 'RUNNING')
        return {
          job: { ...job, reason: 'cancelling', cancel_requested_at: job.cancel_requested_at ?? at, updated_at: at },
        };
      if (job.status === 'CANCELLED') return { job };
      return { rejected: `a job in state ${job.status} can't be cancelled` };
    case 'kill':
      if (job.status !== 'RUNNING') return { rejected: `only a running job can be killed; this one is ${job.status}` };
      if (leaseIsOver(job, at)) return { job: ended(job, 'CANCELLED', 'killed_by_request', at) };
      return {
        job: {
          ...job,
          reason: 'cancelling',
          kill_requested: true,
          cancel_requested_at: job.cancel_requested_at ?? at,
          updated_at: at,
        },
      };
    case 'end':
      if (job.status !== 'RUNNING') return { rejected: `the job is ${job.status}` };
      if (job.attempt !== event.receipt.attempt) return { rejected: `attempt ${job.attempt} has taken over` };
      if (!isUnderstoodOutcome(event.receipt.outcome))
        return { rejected: 'a newer version of the service wrote the outcome' };
      return {
        job: outcomeAfterAttempt(
          { ...job, ...usedBefore(job, event.receipt), ...evidenceOf(event.receipt) },
          event,
          circumstances,
        ),
      };
    case 'lose':
      if (!leaseIsOver(job, at)) return { rejected: 'the lease has not expired' };
      return { job: afterLoss(job, at, event) };
    case 'follow_up':
      return { job: unlessSame(job, withFollowUps(job, event), at) };
    case 'deploy':
      if (job.status !== 'SUCCEEDED')
        return { rejected: `only a SUCCEEDED job is deployed; this one is ${job.status}` };
      if (job.attempt !== event.attempt) return { rejected: `attempt ${job.attempt} has taken over` };
      if (job.removing === true) return { rejected: 'the job is being removed' };
      return { job: unlessSame(job, withPendingBindings(job, event.attempt), at) };
    case 'deployed':
      return { job: unlessSame(job, withoutPendingBindings(job, event.attempt), at) };
    case 'remove':
      if (!isTerminal(job.status) || (job.finished_at ?? at) >= event.endedBefore)
        return { rejected: `a job in state ${job.status} that ended at ${job.finished_at} is kept` };
      return { job: job.removing === true ? job : { ...job, removing: true } };
    case 'correct':
      if (job.status === 'RUNNING') return { rejected: 'an attempt is running' };
      if (job.attempt !== event.attempt) return { rejected: `attempt ${job.attempt} has taken over` };
      return { job: unlessSame(job, corrected(job, event.evidence), at) };
  }
}

function waitingFor(
  job: Job,
  { parked, ...rest }: { parked: (typeof BUSY_REASONS)[number]; folder?: string },
  at: string,
): Decision {
  if (job.status !== 'QUEUED' || job.parked !== undefined || (job.due_at ?? '') > at)
    return { rejected: 'the job is not claimable' };
  // A probe that waits can't find anything out: another job becomes the probe.
  return { job: queuedAgain(withoutProbe(job), { reason: parked, parked, ...rest, updated_at: at }) };
}

function claimed(job: Job, { workerId, folder, place }: Extract<JobEvent, { type: 'claim' }>, now: number): Job {
  const {
    due_at: _due,
    exit_code: _code,
    signal: _signal,
    error: _error,
    stdout_bytes: _out,
    stderr_bytes: _err,
    model_used: _model,
    attempt_warnings: _warnings,
    has_changes: _changes,
    resumed_from: _resumed,
    ...rest
  } = job;
  return {
    ...rest,
    status: 'RUNNING',
    reason: 'running',
    attempt: job.attempt + 1,
    worker_id: workerId,
    ...(folder !== undefined && { folder }),
    ...(place !== undefined && { place }),
    lease_until: timestamp(now + LEASE.duration),
    started_at: timestamp(now),
    updated_at: timestamp(now),
  };
}

/** The usage before an attempt that reports its own, so that no usage is lost. */
function usedBefore(job: Job, receipt: Receipt): Pick<Job, 'earlier_usage'> {
  if (receipt.usage === undefined || job.usage === undefined) return {};
  return { earlier_usage: addUsage(job.usage, job.earlier_usage) };
}

function outcomeAfterAttempt(
  attempted: Job,
  { receipt, bindings = false }: Extract<JobEvent, { type: 'end' }>,
  circumstances: Circumstances,
): Job {
  const { now, random, probeEvery = PROBE_INTERVALS_MS } = circumstances;
  const { outcome } = receipt;
  const at = timestamp(now);
  // A probe that was handed back is still open.
  const job = outcome.kind === 'handed_back' ? attempted : withoutProbe(attempted);
  // Intent comes before outcome, even before a success: an acknowledged cancel is honoured, and nothing follows from
  // the job.
  if (job.cancel_requested_at !== undefined || outcome.kind === 'cancelled') {
    return ended(job, 'CANCELLED', job.kill_requested ? 'killed_by_request' : 'cancelled_by_request', at);
  }
  if (outcome.kind === 'succeeded') {
    const succeeded = withPendingChildren(ended(job, 'SUCCEEDED', 'exited', at), receipt);
    return bindings ? withPendingBindings(succeeded, receipt.attempt) : succeeded;
  }
  const restarts = (job.login_restarts ?? 0) + 1;
  if (outcome.kind === 'handed_back' && outcome.session_refused === true)
    return queuedAgain(withoutResume(job), { reason: 'waiting_for_worker', session_refused: true, updated_at: at });
  if (outcome.kind === 'handed_back' && outcome.reason === 'account_required' && restarts <= MAX_LOGIN_RESTARTS)
    return queuedAgain(withResume(job), { reason: 'waiting_for_worker', login_restarts: restarts, updated_at: at });
  if (outcome.kind === 'handed_back' && outcome.reason !== 'account_required')
    return queuedAgain(withResume(job), { reason: 'waiting_for_worker', updated_at: at });
  if (outcome.kind === 'parked' || outcome.kind === 'handed_back') {
    const parked = outcome.reason === 'usage_limit' ? 'usage_limit' : 'account_required';
    return queuedAgain(withResume(job), {
      reason: parked,
      parked,
      updated_at: at,
      due_at: outcome.until ?? timestamp(now + probeEvery[parked]),
    });
  }
  const used = job.retries_used ?? 0;
  if (used >= job.retries) return ended(job, 'FAILED', outcome.reason, at);
  const pause = Math.ceil(random() * Math.min(BACKOFF.max, BACKOFF.base * 2 ** used));
  return queuedAgain(withoutResume(job), {
    reason: 'retry_backoff',
    retries_used: used + 1,
    queued_at: at,
    due_at: timestamp(now + pause),
    updated_at: at,
  });
}

function afterLoss(job: Job, at: string, { forgiven = false }: { readonly forgiven?: boolean }): Job {
  if (job.cancel_requested_at !== undefined) {
    return ended(job, 'CANCELLED', job.kill_requested ? 'killed_by_request' : 'cancelled_by_request', at);
  }
  if (forgiven) return queuedAgain(withResume(job), { reason: 'waiting_for_worker', updated_at: at });
  const losses = (job.losses ?? 0) + 1;
  if (losses > MAX_LOSSES)
    return ended({ ...job, losses, error: `the worker was lost ${losses} times` }, 'FAILED', 'worker_lost', at);
  return queuedAgain(withResume(job), { reason: 'worker_lost', losses, updated_at: at });
}

function withoutProbe({ probing: _probing, ...job }: Job): Job {
  return job;
}

/** The known job if nothing has changed, so that nothing is written. */
function unlessSame(known: Job, next: Job, at: string): Job {
  return isDeepStrictEqual({ ...known }, { ...next }) ? known : { ...next, updated_at: at };
}

function queuedAgain(job: Job, changes: Partial<Job>): Job {
  const {
    lease_until: _lease,
    worker_id: _worker,
    due_at: _due,
    parked: _parked,
    folder: _folder,
    place: _place,
    ...rest
  } = job;
  return { ...rest, status: 'QUEUED', ...changes };
}

/** Starts a new round: retries, losses and earlier requests no longer count; attempts and their output stay. */
function queuedAnew(job: Job, at: string): Job {
  const {
    retries_used: _used,
    losses: _losses,
    login_restarts: _restarts,
    cancel_requested_at: _asked,
    kill_requested: _kill,
    finished_at: _end,
    probing: _probing,
    warnings: _warnings,
    session_refused: _refused,
    ...rest
  } = withoutResume(job);
  return queuedAgain(rest, { reason: 'waiting_for_worker', queued_at: at, updated_at: at });
}

function ended(job: Job, status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED', reason: Job['reason'], at: string): Job {
  const {
    lease_until: _lease,
    due_at: _due,
    parked: _parked,
    watched_until: _watched,
    folder: _folder,
    place: _place,
    ...rest
  } = withoutResume(withoutProbe(job));
  return { ...rest, status, reason, finished_at: at, updated_at: at };
}
