import type { AgentEvent } from '../../../../lib/vendors/timeline/agent-event.ts';

/** An event with its position in the output. */
export interface TimelineEvent {
  /** The byte of stdout at which the event's first line begins; the same in every reading of an attempt. */
  readonly id: string;
  readonly event: AgentEvent;
  /** When it began and ended, epoch milliseconds; known only if the agent reports it or the page saw it arrive. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Whether the agent reported both times, which are then exact. */
  readonly isExact?: boolean;
}
