import type { AgentEvent } from './agent-event.ts';
import { claudeChanges } from './claude-lines.ts';
import { codexChanges } from './codex-lines.ts';

/** Longest line that is parsed, characters; codex' lines reached 1.2 MB. */
const MAX_LINE = 8 * 1024 * 1024;
/** What is kept of a text for showing; the raw log has all of it. */
const MAX_TEXT = 200_000;
/** Lines that are no events and follow each other are shown together, up to so many characters. */
const RAW_BLOCK = 20_000;

/** Reads an agent's stdout into events. */
export interface EventReader {
  /** Takes text as it comes, cut anywhere. */
  push(text: string): void;
  /** Of all that was pushed, oldest first; the same list, growing, whose items are replaced when they change. */
  readonly events: AgentEvent[];
}

/** @param fromMiddle whether the text begins inside a line, which is then left out */
export function createEventReader(fromMiddle = false): EventReader {
  const events: AgentEvent[] = [];
  const places = new Map<string, number>();
  let parts: string[] = [];
  let length = 0;
  let skipping = fromMiddle;

  const before = (key: string) => {
    const place = places.get(key);
    return place === undefined ? undefined : events[place];
  };
  const show = (key: string | undefined, event: AgentEvent) => {
    const place = key === undefined ? undefined : places.get(key);
    if (place !== undefined) {
      events[place] = bounded(event);
      return;
    }
    if (key !== undefined) places.set(key, events.length);
    events.push(bounded(event));
  };
  const line = (text: string) => {
    if (text.trim() === '') return;
    const value = text.length > MAX_LINE ? undefined : parsed(text);
    const changes = codexChanges(value) ?? claudeChanges(value, before);
    if (changes === undefined) raw(events, text);
    else for (const { key, event } of changes) show(key, event);
  };

  return {
    events,
    push(text) {
      let start = 0;
      for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', start)) {
        parts.push(text.slice(start, feed));
        if (!skipping) line(parts.join(''));
        skipping = false;
        parts = [];
        length = 0;
        start = feed + 1;
      }
      const rest = text.slice(start);
      length += rest.length;
      // What is too long to be an event is not kept until its end.
      if (rest !== '' && length <= MAX_LINE + 1) parts.push(rest);
    },
  };
}

function parsed(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function raw(events: AgentEvent[], text: string): void {
  const last = events.at(-1);
  if (last?.kind === 'raw' && last.text.length + text.length < RAW_BLOCK) {
    events[events.length - 1] = { kind: 'raw', text: `${last.text}\n${text}` };
  } else events.push(bounded({ kind: 'raw', text }));
}

function bounded(event: AgentEvent): AgentEvent {
  switch (event.kind) {
    case 'command':
      return { ...event, output: cut(event.output) };
    case 'tool':
      return { ...event, input: cut(event.input), output: cut(event.output) };
    case 'files':
    case 'usage':
      return event;
    default:
      return { ...event, text: cut(event.text) };
  }
}

function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT)}\n… ${(text.length - MAX_TEXT).toLocaleString('en')} more characters are in the log.`;
}
