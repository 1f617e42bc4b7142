import { timestamp } from '../../platform/aws/table-clock.ts';
import type { Receipt } from '../receipts/receipt.ts';
import type { ParkReason } from './gates.ts';
import type { Job } from './job.ts';
import type { Circumstances, JobEvent } from './job-event.ts';
import { isAsking, isUnanswered, withdrawn } from './question.ts';
import { ended, queuedAgain, withoutProbe } from './queued-again.ts';
import { afterTimeout, lastHeard, withLoss, withoutResume, withResume } from './resume.ts';

/** How many worker losses a round tolerates. */
export const MAX_LOSSES = 3;

/** How often a round restarts without using up a retry because another process renewed its vendor login. */
export const MAX_LOGIN_RESTARTS = 3;

/** Milliseconds between a failure and the next attempt: `base · 2^n`, at most `max`, full jitter. */
export const BACKOFF = { base: 5_000, max: 300_000 } as const;

/** Milliseconds until a worker is offered a job whose session needs a newer CLI than the last worker's. */
const OLDER_CLI_PAUSE_MS = 60_000;

/** Milliseconds until a parked job may be probed, if the vendor doesn't report when its limit ends. */
export const PROBE_INTERVALS_MS: Readonly<Record<ParkReason, number>> = {
  account_required: 60_000,
  usage_limit: 300_000,
  vendor_overloaded: 60_000,
};

/** How long (ms) a vendor may be overloaded, and for how many attempts of a round, before the job fails. */
const MAX_OVERLOAD = { duration: 86_400_000, attempts: 100 } as const;

/** The longest pause (ms) of a job whose vendor is overloaded, unless that reports its end. */
const LONGEST_OVERLOAD_PAUSE_MS = 900_000;

/** The longest that a vendor's limit lasts is a month. */
const LONGEST_LIMIT_MS = 31 * 86_400_000;

/** The job after the end of its attempt: ended, queued for another attempt, or parked. */
export function outcomeAfterAttempt(
  attempted: Job,
  event: Extract<JobEvent, { type: 'end' }>,
  circumstances: Circumstances,
): Job {
  const { older_cli_since: _since, ...job } = attempted;
  const next = event.receipt.outcome.older_cli === true ? attempted : job;
  return withQuestion(afterOutcome(next, event, circumstances), timestamp(circumstances.now));
}

/**
 * A job whose agent has asked waits for the answer, whatever else ended the attempt, unless it starts over. An answer
 * that came in time counts: the job is queued.
 */
function withQuestion(job: Job, at: string): Job {
  if (job.status !== 'QUEUED') return job;
  if (isUnanswered(job)) return ended(job, 'FAILED', 'not_answered', at);
  if (!isAsking(job)) return job;
  if (job.reason === 'retry_backoff') return withdrawn(job);
  return queuedAgain(withoutProbe(job), { reason: 'question', parked: 'question', due_at: job.question.due });
}

function afterOutcome(
  attempted: Job,
  { receipt, deploys = [] }: Extract<JobEvent, { type: 'end' }>,
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
  if (outcome.kind === 'succeeded') return ended(job, 'SUCCEEDED', 'exited', at, { receipt, deploys });
  if (outcome.kind === 'asked')
    return queuedAgain(withResume(job, at, receipt), { reason: 'waiting_for_worker', updated_at: at });
  const restarts = (job.login_restarts ?? 0) + 1;
  if (outcome.kind === 'handed_back' && outcome.session_refused === true)
    return queuedAgain(withoutResume(job), { reason: 'waiting_for_worker', session_refused: true, updated_at: at });
  if (outcome.kind === 'handed_back' && outcome.older_cli === true)
    return queuedAgain(job, {
      reason: 'waiting_for_worker',
      older_cli_since: job.older_cli_since ?? at,
      updated_at: at,
      due_at: timestamp(now + OLDER_CLI_PAUSE_MS),
    });
  if (outcome.kind === 'handed_back' && outcome.reason === 'account_required' && restarts <= MAX_LOGIN_RESTARTS)
    return queuedAgain(withResume(job, at, receipt), {
      reason: 'waiting_for_worker',
      login_restarts: restarts,
      updated_at: at,
    });
  if (outcome.kind === 'handed_back' && outcome.reason !== 'account_required')
    return queuedAgain(withResume(job, at, receipt), { reason: 'waiting_for_worker', updated_at: at });
  if (outcome.kind === 'parked' && outcome.reason === 'vendor_overloaded')
    return afterOverload(job, receipt, circumstances);
  if (outcome.kind === 'parked' || outcome.kind === 'handed_back') {
    const parked = outcome.reason === 'usage_limit' ? 'usage_limit' : 'account_required';
    return queuedAgain(withResume(job, at, receipt), {
      reason: parked,
      parked,
      updated_at: at,
      due_at: timestamp(regained(outcome.until, now) ?? now + probeEvery[parked]),
    });
  }
  const used = job.retries_used ?? 0;
  if (outcome.final === true || used >= job.retries) return ended(job, 'FAILED', outcome.reason, at);
  const pause = Math.ceil(random() * Math.min(BACKOFF.max, BACKOFF.base * 2 ** used));
  return queuedAgain(outcome.reason === 'timed_out' ? afterTimeout(job, at, receipt) : withoutResume(job), {
    reason: 'retry_backoff',
    retries_used: used + 1,
    queued_at: at,
    due_at: timestamp(now + pause),
    updated_at: at,
  });
}

/**
 * The job whose vendor is overloaded waits as for a usage limit, but not indefinitely. Its pauses grow with the time, and are
 * random, since many jobs of many services meet an overload at once.
 */
function afterOverload(
  job: Job,
  receipt: Receipt,
  { now, random, probeEvery = PROBE_INTERVALS_MS }: Circumstances,
): Job {
  const at = timestamp(now);
  const isAnswered = receipt.final_message !== undefined || (receipt.usage?.output_tokens ?? 0) > 0;
  const since = (isAnswered ? undefined : job.overload?.since) ?? at;
  const overload = { since, attempts: (job.overload?.attempts ?? 0) + 1 };
  const lasted = now - Date.parse(since);
  if (lasted >= MAX_OVERLOAD.duration || overload.attempts >= MAX_OVERLOAD.attempts) {
    const error = `The vendor was overloaded in ${overload.attempts} attempts: ${job.error ?? 'it gave no reason'}`;
    return ended({ ...job, overload, error: error.slice(0, LONGEST_ERROR) }, 'FAILED', 'agent_error', at);
  }
  const pause = Math.max(probeEvery.vendor_overloaded, Math.min(LONGEST_OVERLOAD_PAUSE_MS, lasted / 8));
  return queuedAgain(withResume({ ...job, overload }, at, receipt), {
    reason: 'vendor_overloaded',
    parked: 'vendor_overloaded',
    updated_at: at,
    due_at: timestamp(regained(receipt.outcome.until, now) ?? now + Math.ceil(pause * (1 + random() / 2))),
  });
}

/** UTF-16 units. */
const LONGEST_ERROR = 300;

/**
 * When the vendor takes jobs again, by its own report. A job can forge that: a past time would let it probe before all others
 * each time, and keep them from it.
 */
function regained(until: string | undefined, now: number): number | undefined {
  return until === undefined ? undefined : Math.min(Math.max(Date.parse(until), now), now + LONGEST_LIMIT_MS);
}

/** The job after its worker was lost. */
export function afterLoss(job: Job, at: string, event: Extract<JobEvent, { type: 'lose' }>): Job {
  return withQuestion(lost(job, at, event), at);
}

function lost(running: Job, at: string, { forgiven = false, used }: Extract<JobEvent, { type: 'lose' }>): Job {
  const job = withLoss(running, used);
  if (job.cancel_requested_at !== undefined) {
    return ended(job, 'CANCELLED', job.kill_requested ? 'killed_by_request' : 'cancelled_by_request', at);
  }
  if (job.cause.kind === 'system')
    return ended(
      { ...job, error: 'The worker that ran it was lost; how far it came is not known.' },
      'FAILED',
      'worker_lost',
      at,
    );
  const resuming = withResume(job, lastHeard(job, at));
  if (forgiven) return queuedAgain(resuming, { reason: 'waiting_for_worker', updated_at: at });
  const losses = (job.losses ?? 0) + 1;
  if (losses > MAX_LOSSES)
    return ended({ ...job, losses, error: `the worker was lost ${losses} times` }, 'FAILED', 'worker_lost', at);
  return queuedAgain(resuming, { reason: 'worker_lost', losses, updated_at: at });
}
