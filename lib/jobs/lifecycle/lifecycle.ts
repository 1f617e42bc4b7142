import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '../../contract/limits.ts';
import { isTerminal } from '../../contract/statuses.ts';
import { addUsage, boundedUsage, type Usage } from '../../contract/usage.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { afterLoss, outcomeAfterAttempt } from './after-attempt.ts';
import { isOutputDeleted, withoutOutput } from './deleted-output.ts';
import { afterStep, leftToDo, listed, withEffect, withoutEffect } from './effects.ts';
import { corrected, evidenceOf } from './evidence.ts';
import { delegated, withFollowUps } from './follow-up-record.ts';
import { type Gate, isBusy, isForVendor, waitingAt } from './gates.ts';
import type { Job } from './job.ts';
import type { Circumstances, Decision, JobEdit, JobEvent } from './job-event.ts';
import { LEASE, leaseIsOver } from './lease.ts';
import { answered, asked, expired, isUnanswered, withdrawnUnheard } from './question.ts';
import { ended, queuedAgain, queuedAnew, withoutProbe } from './queued-again.ts';
import { unlessEdited, withLoss } from './resume.ts';
import { decideInThread, inItsTurn, submitted } from './thread.ts';
import { isUnderstood, isUnderstoodOutcome } from './understood.ts';

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
      if (job.parked === 'thread_stopped')
        return { job: { ...queuedAgain(job, { reason: 'waiting_for_worker', updated_at: at }), after_any: true } };
      if (job.status !== 'DRAFT')
        return {
          rejected: `only a draft, or a job whose thread has stopped, can be submitted; this one is ${job.status}`,
        };
      return { job: submitted(job, at) };
    case 'edit':
      if (job.status !== 'QUEUED')
        return { rejected: `a job can be edited only while it is QUEUED; this one is ${job.status}` };
      // Its folder or profile may have changed.
      return { job: { ...edited(job, event.changes), ...event.changes, updated_at: at } };
    case 'edit_draft':
      if (job.status !== 'DRAFT') return { rejected: `only a draft can be edited as one; this job is ${job.status}` };
      return { job: { ...job, ...event.changes, updated_at: at } };
    case 'retry':
      if (!isTerminal(job.status))
        return { rejected: `only a job that has ended can be retried; this one is ${job.status}` };
      if (job.removing === true) return { rejected: 'the job is being removed' };
      if (event.from === 'session') {
        if (job.agent === 'shell') return { rejected: 'a script has no session' };
        if (job.attempt === 0) return { rejected: 'the job has no session; it has never run' };
        if (job.status === 'SUCCEEDED') return { rejected: 'its session has ended with success; continue the job' };
        if (isOutputDeleted(job, job.attempt))
          return { rejected: 'its session was deleted with its output; retry it from the start' };
        if ((job.edited_after ?? 0) >= job.attempt)
          return { rejected: 'its session began before the job was edited; retry it from the start' };
      }
      return { job: inItsTurn(queuedAnew(job, at, event.from)) };
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
    case 'begin_thread':
    case 'take_turn':
    case 'wait_for_thread':
    case 'fork_copied':
      return decideInThread(job, event, at);
    case 'wait':
      return waiting(job, event.gate, at);
    case 'claim':
      if (job.status !== 'QUEUED') return { rejected: `a job in state ${job.status} can't be claimed` };
      if (job.parked !== undefined) return { rejected: `the job is parked: ${job.parked}` };
      if (job.due_at !== undefined && job.due_at > at) return { rejected: `the job is not due before ${job.due_at}` };
      return { job: claimed(job, event, now) };
    case 'message':
      return withMessage(job, at);
    case 'cancel':
      if (job.status === 'DRAFT' || job.status === 'QUEUED')
        return { job: ended(job, 'CANCELLED', 'cancelled_by_request', at) };
      if (job.status === 'RUNNING')
        return {
          job: { ...job, reason: 'cancelling', cancel_requested_at: job.cancel_requested_at ?? at, updated_at: at },
        };
      if (job.status === 'CANCELLED') return { job };
      return { rejected: `a job in state ${job.status} can't be cancelled` };
    case 'ask':
      return asked(job, event, { at, limit: LIMITS.questions.perJob });
    case 'withdraw':
      return withdrawnUnheard(job, event, at);
    case 'answer':
      return answered(job, event, at);
    case 'expire':
      return orUnanswered(expired(job, event.id, at), at);
    case 'kill':
      if (job.status !== 'RUNNING') return { rejected: `only a running job can be killed; this one is ${job.status}` };
      if (leaseIsOver(job, at)) return { job: ended(withLoss(job), 'CANCELLED', 'killed_by_request', at) };
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
          { ...job, ...withUsage(job, event.receipt.usage), ...evidenceOf(event.receipt) },
          event,
          circumstances,
        ),
      };
    case 'lose':
      if (!leaseIsOver(job, at)) return { rejected: 'the lease has not expired' };
      return { job: afterLoss({ ...job, ...withUsage(job, event.used) }, at, event) };
    case 'follow_up':
      return { job: unlessSame(job, withFollowUps(job, event), at) };
    case 'effect':
      return afterEffect(job, event, now);
    case 'delegate':
      return delegated(job, event, LIMITS.followUps.perJob);
    case 'deploy':
      if (job.status !== 'SUCCEEDED')
        return { rejected: `only a SUCCEEDED job is deployed; this one is ${job.status}` };
      if (job.attempt !== event.attempt) return { rejected: `attempt ${job.attempt} has taken over` };
      if (job.removing === true) return { rejected: 'the job is being removed' };
      return {
        job: { ...withEffect(job, { name: event.by, attempt: event.attempt, since: at }), updated_at: at },
      };
    case 'remove':
      if (!isTerminal(job.status) || (job.finished_at ?? at) >= event.endedBefore)
        return { rejected: `a job in state ${job.status} that ended at ${job.finished_at} is kept` };
      if (job.removing === true) return { job };
      if (leftToDo(job, ['delete_output']).length > 0)
        return { rejected: 'what the job has left to do is not done yet' };
      return { job: { ...job, removing: true } };
    case 'delete_output':
      return withoutOutput(job, event.by, at);
    case 'correct':
      if (job.status === 'RUNNING') return { rejected: 'an attempt is running' };
      if (job.attempt !== event.attempt) return { rejected: `attempt ${job.attempt} has taken over` };
      return { job: unlessSame(job, corrected(job, event.evidence), at) };
  }
}

/** The job with another message; it is stored with the same write. */
function withMessage(job: Job, at: string): Decision {
  const { messages = 0 } = job;
  if (job.status !== 'QUEUED' && job.status !== 'RUNNING')
    return { rejected: `only a QUEUED or RUNNING job takes messages; this one is ${job.status}` };
  if (job.cancel_requested_at !== undefined) return { rejected: 'the job is being cancelled' };
  if (messages >= LIMITS.messages.perJob) return { rejected: `a job takes at most ${LIMITS.messages.perJob} messages` };
  return { job: { ...job, messages: messages + 1, updated_at: at } };
}

function afterEffect(job: Job, { effect, step }: Extract<JobEvent, { type: 'effect' }>, now: number): Decision {
  const at = timestamp(now);
  const known = listed(job, effect);
  if (known === undefined) return step === 'done' ? { job } : { rejected: `${effect.name} is not due` };
  if (step !== 'done') return { job: { ...afterStep(job, known, step, now), updated_at: at } };
  return { job: { ...withoutEffect(job, effect), updated_at: at } };
}

/** A job that waits fails when nobody answered in time. One that runs fails with its attempt. */
function orUnanswered(decision: Decision, at: string): Decision {
  if ('rejected' in decision || decision.job.status !== 'QUEUED' || !isUnanswered(decision.job)) return decision;
  return { job: ended(decision.job, 'FAILED', 'not_answered', at) };
}

/**
 * An edit of what the agent was asked to do withdraws its question, so nothing is left to wait for. Another profile may
 * use another vendor account; if it does not, the next attempt is parked again.
 */
function edited(job: Job, changes: JobEdit): Job {
  const next = unlessEdited(job, changes);
  const isOfOther = changes.profile !== undefined && changes.profile !== job.profile && isForVendor(next.parked);
  const waitsForNothing =
    isOfOther || isBusy(next.parked) || (next.parked === 'question' && next.question?.state !== 'open');
  return waitsForNothing ? queuedAgain(next, { reason: 'waiting_for_worker' }) : next;
}

function waiting(job: Job, gate: Gate, at: string): Decision {
  if (job.status !== 'QUEUED' || job.parked !== undefined || (job.due_at ?? '') > at)
    return { rejected: 'the job is not claimable' };
  // A probe that waits can't find anything out: another job becomes the probe.
  return { job: queuedAgain(withoutProbe(job), { ...waitingAt(gate), updated_at: at }) };
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

/** The usage of an attempt, and that before it, so that no usage is lost. */
function withUsage(job: Job, usage: Usage | undefined): Pick<Job, 'usage' | 'earlier_usage'> {
  if (usage === undefined) return {};
  return {
    usage: boundedUsage(usage),
    ...(job.usage !== undefined && { earlier_usage: addUsage(job.usage, job.earlier_usage) }),
  };
}

/** The known job if nothing has changed, so that nothing is written. */
function unlessSame(known: Job, next: Job, at: string): Job {
  return isDeepStrictEqual({ ...known }, { ...next }) ? known : { ...next, updated_at: at };
}
