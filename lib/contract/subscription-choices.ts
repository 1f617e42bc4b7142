import type { EventType } from './event-types.ts';

/** Whether a subscription sends each event, or one message an hour. */
export const DIGESTS = ['none', 'hourly'] as const;

/** Events that a subscription without `events` is sent: those that ask for people, and failures. */
export const QUIET_EVENTS = [
  'question.opened',
  'job.failed',
  'account.required',
  'account.limit',
  'automation.paused',
] as const satisfies readonly EventType[];

export const DELIVERY_STATES = {
  pending: 'It is tried, or will be tried again at `next_attempt_at`.',
  delivered: 'The receiver accepted it.',
  failed: 'It was tried once, on request, or the receiver wants no messages.',
  dropped: 'The receiver accepted it in none of the tries.',
} as const;
export type DeliveryState = keyof typeof DELIVERY_STATES;
