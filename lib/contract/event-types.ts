/**
 * What an event says has happened to a job. A change that does several of these is one event, of the first type here
 * that it fits.
 */
const JOB_EVENT_TYPES = [
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

/** What has happened to something else, which the `subject` of the event names. */
export const SUBJECT_EVENT_TYPES = [
  'deployment.succeeded',
  'deployment.failed',
  'automation.paused',
  'automation.failed',
  'automation.skipped',
  'automation.late',
  'account.required',
  'account.limit',
  'account.linked',
  'worker.launch_failed',
] as const;
export type SubjectEventType = (typeof SUBJECT_EVENT_TYPES)[number];

export const EVENT_TYPES = [...JOB_EVENT_TYPES, ...SUBJECT_EVENT_TYPES] as const;
export type EventType = (typeof EVENT_TYPES)[number];
