import type { AgentEvent } from '../../../../lib/vendors/timeline/agent-event.ts';

/** The filters of the timeline. */
export const EVENT_FILTERS = {
  messages: 'Messages',
  commands: 'Commands',
  files: 'File changes',
  errors: 'Errors',
  reasoning: 'Reasoning',
  other: 'Other',
} as const;

export type EventFilter = keyof typeof EVENT_FILTERS;

/** The filters that show an event: a command that failed is a command and an error. */
export function filtersOf(event: AgentEvent): readonly EventFilter[] {
  const filter = FILTERS[event.kind];
  return 'state' in event && event.state === 'failed' ? [filter, 'errors'] : [filter];
}

const FILTERS: Readonly<Record<AgentEvent['kind'], EventFilter>> = {
  message: 'messages',
  command: 'commands',
  tool: 'commands',
  files: 'files',
  error: 'errors',
  reasoning: 'reasoning',
  note: 'other',
  raw: 'other',
  usage: 'other',
};

/** Whether an event contains the lower-case words. */
export function contains(event: AgentEvent, words: string): boolean {
  return words === '' || textOf(event).toLowerCase().includes(words);
}

function textOf(event: AgentEvent): string {
  switch (event.kind) {
    case 'command':
      return `${event.command}\n${event.output}`;
    case 'tool':
      return `${event.name}\n${event.input}\n${event.output}`;
    case 'files':
      return event.changes.map(({ path }) => path).join('\n');
    case 'usage':
      return event.facts.flat().join(' ');
    default:
      return event.text;
  }
}
