import * as z from 'zod';
import { EVENT_TYPES, type EventType } from '../contract/event-types.ts';
import type { NewEvent } from '../contract/schemas/event.ts';
import { isTerminal } from '../contract/statuses.ts';
import { jobItemSchema } from '../jobs/lifecycle/job.ts';

/**
 * Each decided change of a job is one event, and the version that the change gives the job is its number in the job's
 * sequence. So the sequence has no gap, and nothing is counted to make it: the same record of the stream gives the same
 * event each time, in every version of this code.
 */

/** The members of a job that events are made of: no more of each than they need, since a later version may write others. */
export const eventJobSchema = z.object({
  ...jobItemSchema.pick({
    id: true,
    status: true,
    reason: true,
    project_id: true,
    project: true,
    profile: true,
    created_by: true,
    attempt: true,
    version: true,
    updated_at: true,
    messages: true,
    cancel_requested_at: true,
    parked: true,
    removing: true,
  }).shape,
  question: z.object({ id: z.string(), state: z.string() }).optional(),
  output_deleted: z.object({ at: z.string() }).optional(),
  template: z.object({ name: z.string() }).optional(),
  // A later version may know further kinds.
  cause: z.object({ kind: z.string(), automation: z.string().optional() }),
});
type EventJob = z.output<typeof eventJobSchema>;

/**
 * The event that a change of a job is; undefined: it is none, such as a heartbeat, a change of a system job, or the end
 * of a removal, whose begin was the event.
 */
export function eventOf(before: EventJob | undefined, after: EventJob | undefined): NewEvent | undefined {
  if (after === undefined || before?.version === after.version || after.cause.kind === 'system') return undefined;
  const { question } = after;
  const isAsked = question?.id !== before?.question?.id || question?.state !== before?.question?.state;
  return {
    type: typeOf(before, after),
    time: after.updated_at,
    job_id: after.id,
    sequence: after.version,
    project_id: after.project_id,
    project: after.project,
    status: after.status,
    reason: after.reason,
    attempt: after.attempt,
    question: isAsked && question !== undefined ? { id: question.id, state: question.state } : null,
    profile: after.profile,
    created_by: after.created_by,
    template: after.template?.name ?? null,
    automation: after.cause.automation ?? null,
  };
}

/** The first type that fits, in the order of `EVENT_TYPES`. */
function typeOf(before: EventJob | undefined, after: EventJob): EventType {
  if (before === undefined) return 'job.created';
  const fitting = fits(before, after);
  return EVENT_TYPES.find((type) => fitting[type] === true) ?? 'job.updated';
}

function fits(before: EventJob, after: EventJob): Partial<Record<EventType, boolean>> {
  const isMoved = before.status !== after.status;
  const asked = after.question?.id === before.question?.id ? before.question?.state : undefined;
  const became = (state: string) => after.question?.state === state && asked !== state;
  return {
    'job.removed': after.removing === true && before.removing !== true,
    ...(isMoved && isTerminal(after.status) && { [`job.${after.status.toLowerCase()}`]: true }),
    'attempt.started': after.attempt > before.attempt,
    'question.opened': became('open'),
    'question.answered': became('answered'),
    'question.expired': became('expired'),
    'question.withdrawn': became('withdrawn'),
    'attempt.ended': isMoved && before.status === 'RUNNING',
    'job.queued': isMoved && after.status === 'QUEUED',
    'message.accepted': (after.messages ?? 0) > (before.messages ?? 0),
    'output.deleted': after.output_deleted !== undefined && after.output_deleted.at !== before.output_deleted?.at,
    'cancel.requested': after.cancel_requested_at !== undefined && before.cancel_requested_at === undefined,
    'job.waiting': after.parked !== undefined && after.parked !== before.parked,
    'job.ready': after.parked === undefined && before.parked !== undefined,
  };
}
