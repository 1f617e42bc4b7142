/**
 * What an event says has happened to a job. A change that does several of these is one event, of the first type here
 * that it fits.
 */
export const EVENT_TYPES = [
  'job.created',
  'job.removed',
  'job.succeeded',
  'job.failed',
  'job.cancelled',
  'attempt.started',
  'question.opened',
  'question.answered',
  'question.expired',
  'question.withdrawn',
  'attempt.ended',
  'job.queued',
  'message.accepted',
  'output.deleted',
  'cancel.requested',
  'job.waiting',
  'job.ready',
  'job.updated',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
