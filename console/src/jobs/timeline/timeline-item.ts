import type { AgentEvent } from '../../../../lib/vendors/timeline/agent-event.ts';
import type { Question } from '../../questions/question-queries.ts';
import { contains, type EventFilter, filtersOf } from '../events/event-filter.ts';
import type { TimelineEvent } from '../events/timeline-event.ts';
import type { Job } from '../queries/job-query.ts';
import { statusText } from '../status/job-status.tsx';

/** A row of the timeline: the prompt, an event, a question to a person, or the outcome of the attempt. */
export interface TimelineItem {
  /** Identifies the row in the address, after the attempt. */
  readonly id: string;
  readonly event: AgentEvent | PromptEvent | QuestionEvent | OutcomeEvent;
  /** Epoch milliseconds, if known. */
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly isExact?: boolean | undefined;
  /** Whether it is the message that is shown above the timeline as the answer. */
  readonly isAnswer?: boolean;
}

interface PromptEvent {
  readonly kind: 'prompt';
  readonly job: Job;
}

interface QuestionEvent {
  readonly kind: 'question';
  readonly question: Question;
}

interface OutcomeEvent {
  readonly kind: 'outcome';
  readonly succeeded: boolean;
  readonly text: string;
}

/** The filters of the timeline; no filters show everything. */
export interface TimelineFilters {
  readonly filters: ReadonlySet<EventFilter>;
  readonly words: string;
  /** The ID of an event that is always shown. */
  readonly always: string | undefined;
  /** The id of the message that is the answer. */
  readonly answer: string | undefined;
}

/** The rows of an attempt. Only the newest attempt's start and end are known. */
export function timelineItems(
  job: Job,
  attempt: number,
  events: readonly TimelineEvent[],
  questions: readonly Question[],
  { filters, words, always, answer }: TimelineFilters,
): readonly TimelineItem[] {
  const wanted = words.trim().toLowerCase();
  const isFiltered = filters.size > 0 || wanted !== '';
  const shown = isFiltered
    ? events.filter(
        ({ id, event }) =>
          id === always ||
          ((filters.size === 0 || filtersOf(event).some((filter) => filters.has(filter))) && contains(event, wanted)),
      )
    : events;
  if (isFiltered) return shown;
  const isNewest = attempt === job.attempt;
  const began = isNewest ? timeOf(job.started_at) : undefined;
  const ended = isNewest && job.status !== 'QUEUED' ? timeOf(job.finished_at) : undefined;
  const items: TimelineItem[] = [
    { id: 'prompt', event: { kind: 'prompt', job }, startedAt: began },
    ...shown.map((item) => (item.id === answer ? { ...item, isAnswer: true } : item)),
  ];
  // An attempt that continues the session begins with the answers to the questions of earlier ones.
  for (const question of questions.filter((one) => one.attempt <= attempt)) insertQuestion(items, question);
  if (ended !== undefined) {
    const text = `${statusText(job.status)}. ${job.state_reason.message}`;
    items.push({
      id: 'end',
      event: { kind: 'outcome', succeeded: job.status === 'SUCCEEDED', text },
      startedAt: ended,
    });
  }
  return items;
}

/** Puts a question before the first event that is known to be later, or at the end. */
function insertQuestion(items: TimelineItem[], question: Question): void {
  const askedAt = Date.parse(question.asked_at);
  const next = items.findIndex(({ event, startedAt = 0 }) => event.kind !== 'prompt' && startedAt > askedAt);
  const item = { id: question.id, event: { kind: 'question', question }, startedAt: askedAt } as const;
  items.splice(next < 0 ? items.length : next, 0, item);
}

/** The index of the linked row: that event, or the last one before its byte; -1 if there is none. */
export function itemAt(items: readonly TimelineItem[], id: string): number {
  const exact = items.findIndex((item) => item.id === id);
  if (exact >= 0) return exact;
  const byte = Number(id);
  return Number.isNaN(byte) ? -1 : items.findLastIndex((item) => Number(item.id) <= byte);
}

function timeOf(timestamp: string | null): number | undefined {
  return timestamp === null ? undefined : Date.parse(timestamp);
}
