import { ApiError, InvalidFieldError } from '../../contract/errors.ts';
import { isTerminal } from '../../contract/statuses.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { type CreationContext, createJob } from '../creation/create-job.ts';
import { transition } from '../dispatch/transition.ts';
import { type Cause, jobIdOf } from '../lifecycle/cause.ts';
import { effectOf } from '../lifecycle/effects.ts';
import type { Job } from '../lifecycle/job.ts';
import type { AgentSessionStore } from '../output/agent-sessions/agent-session-store.ts';
import type { Receipt } from '../receipts/receipt.ts';
import type { MessageRow } from '../store/job-messages.ts';
import { messagesSaved } from './messages-in-session.ts';

/** Dependencies for settling the messages of jobs that have ended. */
export interface SettleContext extends CreationContext {
  readonly agentSessions: Pick<AgentSessionStore, 'find'>;
}

/**
 * Decides what became of the messages of a job that has ended. What its agent has not got becomes the next turn of the
 * thread, unless the job was cancelled or the message was for this job only. Safe to run concurrently and repeatedly. A
 * job that was retried meanwhile keeps its other messages for the next attempt.
 * @returns the updated job
 */
export async function settleMessages(context: SettleContext, job: Job): Promise<Job> {
  const effect = effectOf(job, 'messages');
  if (effect === undefined || !isTerminal(job.status)) return job;
  const { messages } = context.texts;
  const rows = await messages.list(job.id);
  const isOpen = rows.some(({ state }) => state === 'pending' || state === 'sent');
  const last = isOpen ? await context.readReceipt(job.id, job.attempt) : undefined;
  const delivered = deliveredBy(context, job);
  for (const row of rows) {
    const settled =
      row.state === 'pending' || row.state === 'sent' ? await settleOne(context, job, row, { last, delivered }) : row;
    // Created after it was recorded, so that whatever dies in between, a later run completes it.
    if (settled?.next_job_id !== undefined) await createTurn(context, job, settled, settled.next_job_id);
  }
  const settled = await transition(context, job, { type: 'effect', effect, step: 'done' });
  return settled.done ? settled.job : job;
}

/** @returns the message as it is then, also if another process settles it */
async function settleOne(
  context: SettleContext,
  job: Job,
  row: MessageRow,
  { last, delivered }: { readonly last: Receipt | undefined; readonly delivered: ReturnType<typeof deliveredBy> },
): Promise<MessageRow | undefined> {
  const isDelivered = row.attempt !== undefined && (await delivered(row.attempt)).has(row.id);
  // An edit may have made the job a script after it had accepted the message: the text would be run by a shell.
  const becomesTurn = job.status !== 'CANCELLED' && job.agent !== 'shell' && row.only_now !== true;
  const { messages } = context.texts;
  const changed = await messages.change(
    job.id,
    row,
    isDelivered
      ? { state: 'delivered', delivered_at: timestamp(context.clock.now()) }
      : {
          state: 'not_delivered',
          reason: reasonOf(job, last),
          ...(becomesTurn && { next_job_id: jobIdOf(causeOf(job, row)) }),
        },
  );
  return changed ?? (await messages.get(job.id, row.id));
}

/** The messages that an attempt's agent has got: by its receipt, or if it was lost, by the session that it has saved. */
function deliveredBy(
  { readReceipt, agentSessions }: SettleContext,
  { id }: Pick<Job, 'id'>,
): (attempt: number) => Promise<ReadonlySet<string>> {
  const known = new Map<number, ReadonlySet<string>>();
  return async (attempt) => {
    const ids = known.get(attempt) ?? (await ofAttempt(attempt));
    known.set(attempt, ids);
    return ids;
  };
  async function ofAttempt(attempt: number): Promise<ReadonlySet<string>> {
    const receipt = await readReceipt(id, attempt);
    return receipt === undefined ? await messagesSaved(agentSessions, id, attempt) : new Set(receipt.messages);
  }
}

/** Creates the job of a message, in the name of its sender. If that is no longer possible, the message says so. */
async function createTurn(context: CreationContext, job: Job, row: MessageRow, id: string): Promise<void> {
  // It may have become invalid since it was created.
  if ((await context.jobs.find(id)) !== undefined) return;
  if (job.agent === 'shell') {
    // It was to become a turn before a retry, and an edit has made the job a script since.
    await context.texts.messages.change(job.id, row, { reason: reasonOf(job, undefined), next_job_id: undefined });
    return;
  }
  // A message does not depend on what became of the one before.
  const creation = {
    continue: job.id,
    continue_after: 'any',
    prompt: row.text,
    priority: job.priority,
  } as const;
  try {
    await createJob(context, creation, row.created_by, { cause: causeOf(job, row), of: job });
  } catch (error) {
    if (!(error instanceof InvalidFieldError || error instanceof ApiError)) throw error;
    if (error instanceof ApiError && error.code !== 'invalid_request' && error.code !== 'invalid_state') throw error;
    const reason = `${row.reason}; it could not become the next turn: ${error.message}`;
    await context.texts.messages.change(job.id, row, { reason, next_job_id: undefined });
  }
}

function causeOf({ id: job }: Job, { id: message }: MessageRow): Extract<Cause, { kind: 'message' }> {
  return { kind: 'message', job, message };
}

function reasonOf({ status, agent }: Job, last: Receipt | undefined): string {
  if (status === 'CANCELLED') return 'the job was cancelled';
  if (agent === 'shell') return 'the job was changed to run a script, which takes no messages';
  return last?.drive === 'exec'
    ? 'the agent takes no messages while it runs, and the job ended'
    : 'the job ended first';
}
