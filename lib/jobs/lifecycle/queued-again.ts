import type { RetryFrom } from '../../contract/job-actions.ts';
import { type Success, withEffects, withoutEndEffects } from './effects.ts';
import type { Job } from './job.ts';
import { withdrawn, withKnownAnswer, withStaleQuestion } from './question.ts';
import { withLastSession, withoutNextResume, withoutResume } from './resume.ts';

/** A job without its running or parked state, QUEUED with `changes`. */
export function queuedAgain(job: Job, changes: Partial<Job>): Job {
  const {
    lease_until: _lease,
    worker_id: _worker,
    due_at: _due,
    parked: _parked,
    folder: _folder,
    place: _place,
    waits_for: _waits,
    ...rest
  } = job;
  return { ...rest, status: 'QUEUED', ...changes };
}

/**
 * Starts a new round: retries, losses and earlier requests no longer count; attempts and their output stay.
 * @param from where the next attempt begins
 */
export function queuedAnew(job: Job, at: string, from: RetryFrom = 'start'): Job {
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
    overload: _overload,
    older_cli_since: _older,
    ...rest
  } = withoutEndEffects(
    from === 'session' ? withKnownAnswer(withoutResume(job)) : withStaleQuestion(withoutResume(job)),
  );
  const round = (job.round ?? 0) + 1;
  const next = from === 'session' ? withLastSession(rest, job) : rest;
  return queuedAgain(next, { reason: 'waiting_for_worker', round, queued_at: at, updated_at: at });
}

export function ended(
  job: Job,
  status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED',
  reason: Job['reason'],
  at: string,
  success?: Success,
): Job {
  const last = withoutProbe(job);
  const {
    lease_until: _lease,
    due_at: _due,
    parked: _parked,
    watched_until: _watched,
    folder: _folder,
    place: _place,
    waits_for: _waits,
    ...rest
  } = withdrawn(status === 'SUCCEEDED' ? withoutResume(last) : withoutNextResume(last));
  return withEffects({ ...rest, status, reason, finished_at: at, updated_at: at }, at, success);
}

/** The job without its duty to find out whether its parking reason still applies. */
export function withoutProbe({ probing: _probing, ...job }: Job): Job {
  return job;
}
