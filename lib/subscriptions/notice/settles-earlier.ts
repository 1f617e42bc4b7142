import type { NoticeEvent } from './notice.ts';

/** What ends the subject of an event, by the type of that event. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  // A failed job is retried.
  'job.failed': ['job.succeeded', 'job.cancelled'],
  'account.required': ['account.linked'],
};

/**
 * The types of events that a subscription to these types reads besides, since they change messages that it has sent. They
 * are no messages themselves.
 */
export function typesThatSettle(types: readonly string[]): string[] {
  const found = types.flatMap((type) => ENDS[type] ?? []);
  return [...new Set([...found, ...(types.includes('question.opened') ? CLOSING : [])])];
}

/** A question also ends with its job, whose event names it. */
const CLOSING = [
  ...['question.answered', 'question.expired', 'question.withdrawn'],
  ...['job.succeeded', 'job.failed', 'job.cancelled'],
];

/** Whether an event of these changes a message that an earlier one made. */
export function settlesEarlier(types: readonly string[], { type, question }: NoticeEvent): boolean {
  if (question != null && question.state !== 'open') return types.includes('question.opened');
  return types.some((one) => ENDS[one]?.includes(type));
}
