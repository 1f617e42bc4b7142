import type { StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { EventType } from '../../../lib/contract/event-types.ts';
import { REASONS } from '../../../lib/contract/schemas/jobs/job-state.ts';
import type { Event } from './feed-filters.ts';

interface Words {
  readonly text: string;
  readonly type: StatusIndicatorProps.Type;
  /** Whether the reason of the job's state explains the event. */
  readonly hasReason?: true;
}

/** What each type of event is called, wherever the console names it. */
const WORDS: Readonly<Record<EventType, Words>> = {
  'job.created': { text: 'Job created', type: 'info' },
  'job.queued': { text: 'Job queued', type: 'pending' },
  'job.updated': { text: 'Job changed', type: 'info' },
  'job.waiting': { text: 'Job waits', type: 'pending', hasReason: true },
  'job.ready': { text: 'Job no longer waits', type: 'pending' },
  'attempt.started': { text: 'Attempt started', type: 'in-progress' },
  'attempt.ended': { text: 'Attempt ended', type: 'stopped', hasReason: true },
  'question.opened': { text: 'Agent asked a question', type: 'info' },
  'question.answered': { text: 'Question answered', type: 'success' },
  'question.expired': { text: 'Question not answered in time', type: 'warning' },
  'question.withdrawn': { text: 'Question withdrawn', type: 'stopped' },
  'message.accepted': { text: 'Message sent to the agent', type: 'info' },
  'cancel.requested': { text: 'Cancel requested', type: 'warning' },
  'job.succeeded': { text: 'Job succeeded', type: 'success' },
  'job.failed': { text: 'Job failed', type: 'error', hasReason: true },
  'job.cancelled': { text: 'Job cancelled', type: 'stopped', hasReason: true },
  'output.deleted': { text: 'Output deleted', type: 'info' },
  'job.removed': { text: 'Job removed', type: 'stopped' },
  'deployment.succeeded': { text: 'Deployment succeeded', type: 'success' },
  'deployment.failed': { text: 'Deployment failed', type: 'error' },
  'automation.paused': { text: 'Automation paused', type: 'warning' },
  'automation.failed': { text: 'Automation could not create its job', type: 'error' },
  'automation.skipped': { text: 'Automation skipped a run', type: 'stopped' },
  'automation.late': { text: 'Automation ran late', type: 'warning' },
  'account.required': { text: 'Vendor account needed', type: 'warning' },
  'account.limit': { text: 'Usage limit of the vendor reached', type: 'warning' },
  'account.linked': { text: 'Vendor account linked', type: 'success' },
  'worker.launch_failed': { text: 'Worker could not be started', type: 'error' },
};

const KNOWN = new Map<string, Words>(Object.entries(WORDS));

/** What a type is called. */
export function eventText(type: string): string {
  return KNOWN.get(type)?.text ?? type;
}

/** The types with their words, in the order of a job's life. */
export const EVENT_CHOICES = Object.entries(WORDS).map(([value, { text }]) => ({ value, label: text }));

/** What an event says, its icon, and the reason in one sentence. A later version may know further types and reasons. */
export function eventWords(event: Event): Omit<Words, 'hasReason'> & { readonly reason: string | undefined } {
  const known = KNOWN.get(event.type);
  if (known === undefined) return { text: event.type, type: 'info', reason: undefined };
  const { type, hasReason } = known;
  const sentences = new Map<string, { message: string }>(Object.entries(REASONS));
  const reason =
    hasReason && event.reason !== null ? sentences.get(event.reason)?.message : (event.subject?.why ?? undefined);
  return { text: textOf(event, known.text), type, reason };
}

function textOf({ type, status, attempt, subject }: Event, text: string): string {
  if (subject !== null) return `${text}: ${subject.name}`;
  if (type === 'job.created' && status === 'DRAFT') return 'Draft created';
  return type.startsWith('attempt.') ? text.replace('Attempt', `Attempt ${attempt}`) : text;
}
