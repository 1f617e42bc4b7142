import { timestamp } from '../aws/table-clock.ts';
import { isTerminal } from '../contract/schemas/job.ts';
import type { Job } from './job.ts';
import { LEASE, leaseIsOver } from './lease.ts';
import type { Receipt } from './receipt.ts';

/** How often the loss of a worker is forgiven. */
export const MAX_LOSSES = 3;

/** Milliseconds between a failure and the next attempt: `base · 2^n`, at most `max`, full jitter. */
export const BACKOFF = { base: 5_000, max: 300_000 } as const;

/** What an edit may change of a job's item. `undefined`: taken away. */
export type JobEdit = Partial<
  Pick<Job, 'profile' | 'priority' | 'retries' | 'texts' | 'prompt_preview'> & {
    model: string | undefined;
    timeout: number | undefined;
    cwd: string | undefined;
  }
>;

/** What can happen to a job. */
export type JobEvent =
  | { readonly type: 'submit' }
  | { readonly type: 'edit'; readonly changes: JobEdit }
  | { readonly type: 'retry' }
  | { readonly type: 'unpark' }
  | { readonly type: 'claim'; readonly workerId: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'kill' }
  | { readonly type: 'end'; readonly receipt: Receipt }
  | { readonly type: 'lose' };

/** The answer of the lifecycle: the job as it then is, the same job (nothing to do), or a refusal. */
export type Decision = { readonly job: Job } | { readonly refused: string };

/** Time (ms, the table's) and randomness (0 to 1) of a decision. */
export interface Circumstances {
  readonly now: number;
  readonly random: () => number;
}

/**
 * The life of a job: state and event give the next state or a refusal. Pure; whoever applies the answer does so on
 * condition that the job is still the one that was judged (`version`).
 */
export function decide(job: Job, event: JobEvent, { now, random }: Circumstances): Decision {
  const at = timestamp(now);
  switch (event.type) {
    case 'submit':
      if (job.status !== 'DRAFT') return { refused: `only a draft can be submitted; this job is ${job.status}` };
      return { job: { ...job, status: 'QUEUED', reason: 'waiting_for_worker', queued_at: at, updated_at: at } };
    case 'edit':
      if (job.status !== 'QUEUED')
        return { refused: `a job can be edited only while it is QUEUED; this one is ${job.status}` };
      return { job: { ...job, ...event.changes, updated_at: at } };
    case 'retry':
      if (!isTerminal(job.status))
        return { refused: `only a job that has ended can be retried; this one is ${job.status}` };
      return { job: queuedAnew(job, at) };
    case 'unpark':
      if (job.status !== 'QUEUED' || job.parked === undefined) return { refused: 'the job is not parked' };
      return { job: queuedAgain(job, { reason: 'waiting_for_worker', updated_at: at }) };
    case 'claim':
      if (job.status !== 'QUEUED') return { refused: `a job in state ${job.status} can't be claimed` };
      if (job.parked !== undefined) return { refused: `the job is parked: ${job.parked}` };
      if (job.due_at !== undefined && job.due_at > at) return { refused: `the job is not due before ${job.due_at}` };
      return { job: claimed(job, event.workerId, now) };
    case 'cancel':
      if (job.status === 'DRAFT' || job.status === 'QUEUED')
        return { job: ended(job, 'CANCELLED', 'cancelled_by_request', at) };
      if (job.status === 'RUNNING')
        return {
          job: { ...job, reason: 'cancelling', cancel_requested_at: job.cancel_requested_at ?? at, updated_at: at },
        };
      if (job.status === 'CANCELLED') return { job };
      return { refused: `a job in state ${job.status} can't be cancelled` };
    case 'kill':
      if (job.status !== 'RUNNING') return { refused: `only a running job can be killed; this one is ${job.status}` };
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
      if (job.status !== 'RUNNING') return { refused: `the job is ${job.status}` };
      if (job.attempt !== event.receipt.attempt) return { refused: `attempt ${job.attempt} has taken over` };
      return { job: afterAttempt(withEvidence(job, event.receipt), event.receipt, { now, random }) };
    case 'lose':
      if (!leaseIsOver(job, at)) return { refused: 'the lease still holds' };
      return { job: afterLoss(job, at) };
  }
}

function claimed(job: Job, workerId: string, now: number): Job {
  const {
    due_at: _due,
    exit_code: _code,
    signal: _signal,
    error: _error,
    stdout_bytes: _out,
    stderr_bytes: _err,
    ...rest
  } = job;
  return {
    ...rest,
    status: 'RUNNING',
    reason: 'running',
    attempt: job.attempt + 1,
    worker_id: workerId,
    lease_until: timestamp(now + LEASE.duration),
    started_at: timestamp(now),
    updated_at: timestamp(now),
  };
}

/** What the attempt left behind, whatever it means for the job. */
function withEvidence(job: Job, receipt: Receipt): Job {
  const { outcome, streams } = receipt;
  return {
    ...job,
    ...(outcome.exit_code !== null && { exit_code: outcome.exit_code }),
    ...(outcome.signal !== null && { signal: outcome.signal }),
    ...(outcome.error !== undefined && { error: outcome.error.slice(0, 300) }),
    ...(receipt.session_id !== undefined && { session_id: receipt.session_id }),
    ...(receipt.usage !== undefined && { usage: receipt.usage }),
    stdout_bytes: streams.stdout.bytes,
    stderr_bytes: streams.stderr.bytes,
  };
}

function afterAttempt(job: Job, receipt: Receipt, { now, random }: Circumstances): Job {
  const { outcome } = receipt;
  const at = timestamp(now);
  if (outcome.kind === 'succeeded') return ended(job, 'SUCCEEDED', 'exited', at);
  // Intent comes before outcome: what was asked to be cancelled is never run again by itself.
  if (job.cancel_requested_at !== undefined || outcome.kind === 'cancelled') {
    return ended(job, 'CANCELLED', job.kill_requested ? 'killed_by_request' : 'cancelled_by_request', at);
  }
  if (outcome.kind === 'handed_back') return queuedAgain(job, { reason: 'waiting_for_worker', updated_at: at });
  if (outcome.kind === 'parked') {
    const parked = outcome.reason === 'usage_limit' ? 'usage_limit' : 'account_required';
    return queuedAgain(job, {
      reason: parked,
      parked,
      updated_at: at,
      ...(outcome.until && { due_at: outcome.until }),
    });
  }
  const used = job.retries_used ?? 0;
  if (used >= job.retries) return ended(job, 'FAILED', outcome.reason, at);
  const pause = Math.ceil(random() * Math.min(BACKOFF.max, BACKOFF.base * 2 ** used));
  return queuedAgain(job, {
    reason: 'retry_backoff',
    retries_used: used + 1,
    queued_at: at,
    due_at: timestamp(now + pause),
    updated_at: at,
  });
}

function afterLoss(job: Job, at: string): Job {
  if (job.cancel_requested_at !== undefined) {
    return ended(job, 'CANCELLED', job.kill_requested ? 'killed_by_request' : 'cancelled_by_request', at);
  }
  const losses = (job.losses ?? 0) + 1;
  if (losses > MAX_LOSSES)
    return ended({ ...job, losses, error: `the worker was lost ${losses} times` }, 'FAILED', 'worker_lost', at);
  return queuedAgain(job, { reason: 'worker_lost', losses, updated_at: at });
}

function queuedAgain(job: Job, changes: Partial<Job>): Job {
  const { lease_until: _lease, worker_id: _worker, due_at: _due, parked: _parked, ...rest } = job;
  return { ...rest, status: 'QUEUED', ...changes };
}

/** A new round: retries, losses and what was asked before count no more; attempts and their output stay. */
function queuedAnew(job: Job, at: string): Job {
  const {
    retries_used: _used,
    losses: _losses,
    cancel_requested_at: _asked,
    kill_requested: _kill,
    finished_at: _end,
    ...rest
  } = job;
  return queuedAgain(rest, { reason: 'waiting_for_worker', queued_at: at, updated_at: at });
}

function ended(job: Job, status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED', reason: Job['reason'], at: string): Job {
  const { lease_until: _lease, due_at: _due, parked: _parked, watched_until: _watched, ...rest } = job;
  return { ...rest, status, reason, finished_at: at, updated_at: at };
}
