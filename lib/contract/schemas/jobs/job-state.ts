import * as z from 'zod';
import { knownOrLater } from '../../later-code.ts';
import { outputField } from '../../output-fields.ts';
import { STATUSES } from '../../statuses.ts';
import { timestamp } from '../fields/text.ts';

/** Why a job is in its state. A job can refine `message`. `retryable`: whether the job continues without a request. */
export const REASONS = {
  draft: { message: 'The job is a draft. Queue it to run it.', retryable: false },
  waiting_for_worker: { message: 'Waiting for a free worker.', retryable: true },
  retry_backoff: { message: 'The last attempt failed. The next attempt starts after a delay.', retryable: true },
  worker_lost: { message: 'The worker of the last attempt was lost.', retryable: true },
  account_required: { message: 'The vendor account is not linked. The job starts when it is linked.', retryable: true },
  usage_limit: {
    message: "The vendor's usage limit is reached. The job starts when the limit resets.",
    retryable: true,
  },
  vendor_overloaded: {
    message: 'The vendor has no capacity or does not answer. The job starts when it takes requests again.',
    retryable: true,
  },
  folder_busy: {
    message: 'Another job works in the same folder. This job starts when the folder is free.',
    retryable: true,
  },
  profile_busy: {
    message: 'The concurrency limit of the profile is reached. This job starts when another job of the profile ends.',
    retryable: true,
  },
  automation_busy: {
    message: 'An earlier job of the automation runs. This job starts when that one ends.',
    retryable: true,
  },
  question: { message: 'The agent has asked a question. The job continues with the answer.', retryable: true },
  waiting_for_thread: {
    message: 'An earlier turn of the thread has not succeeded yet, or a fork of it has not made its copy.',
    retryable: true,
  },
  thread_stopped: {
    message: 'An earlier turn of the thread did not succeed. Retry that turn, or submit this job to start it anyway.',
    retryable: false,
  },
  running: { message: 'A worker is running the job.', retryable: false },
  cancelling: { message: 'Cancel requested. The processes of the job are being stopped.', retryable: false },
  cancelled_by_request: { message: 'Cancelled by request.', retryable: false },
  killed_by_request: { message: 'Killed by request.', retryable: false },
  exited: { message: 'The process ended.', retryable: false },
  agent_error: { message: 'The agent reported an error.', retryable: false },
  not_answered: { message: "Nobody answered the agent's question before its deadline.", retryable: false },
  timed_out: { message: 'The attempt exceeded its timeout.', retryable: false },
  start_failed: { message: 'The attempt could not be started.', retryable: false },
  session_lost: {
    message: 'Neither the session of the thread nor a record of its earlier turns is left.',
    retryable: false,
  },
  output_limit: { message: 'The output of the attempt exceeded what can be stored.', retryable: false },
} as const satisfies Record<string, { message: string; retryable: boolean }>;

export type ReasonCode = keyof typeof REASONS;
export const REASON_CODES = Object.keys(REASONS) as [ReasonCode, ...ReasonCode[]];

/** The state of a job. */
export const jobState = knownOrLater(STATUSES);

/** How many jobs there are in each state. */
export const statusCounts = z
  .object(
    Object.fromEntries(STATUSES.map((status) => [status, z.number().int()])) as Record<
      (typeof STATUSES)[number],
      z.ZodNumber
    >,
  )
  .meta({ id: 'StatusCounts', example: { DRAFT: 1, QUEUED: 3, RUNNING: 2, SUCCEEDED: 120, FAILED: 4, CANCELLED: 0 } });

/** A job that waits has a sentence of the service, and all others one of the table, before what their agent reported. */
function withoutFailure(message: unknown, { code, retryable }: Readonly<Record<string, unknown>>): unknown {
  if (retryable === true || code === 'thread_stopped') return message;
  const known = REASON_CODES.find((one) => one === code);
  return known === undefined ? '' : REASONS[known].message;
}

export const stateReason = z
  .object({
    code: knownOrLater(REASON_CODES),
    message: outputField(
      z.string().meta({
        example: REASONS.waiting_for_worker.message,
        description: 'A sentence. Why an attempt failed is part of it only with the scope `logs`.',
      }),
      withoutFailure,
    ),
    retryable: z.boolean().meta({ description: 'Whether the job continues without a request.' }),
    next_check_at: timestamp.optional(),
  })
  .meta({
    id: 'StateReason',
    example: { code: 'exited', message: REASONS.exited.message, retryable: false },
    description:
      'Why the job is in its state. Always present. After a rollback, `code` and the status of a job can have values that only a later version documents.',
  });
