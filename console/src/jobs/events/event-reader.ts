import type { AgentEvent, EventChange, TimelineEvent } from './agent-event.ts';
import { appServerChanges } from './app-server-lines.ts';
import { claudeChanges } from './claude-lines.ts';
import { codexChanges } from './codex-lines.ts';

/** Maximum length of a parsed line (characters). Lines of codex reached 1.2 MB. */
const MAX_LINE = 8 * 1024 * 1024;
/** Maximum characters of a text that are kept to be shown. The raw log has everything. */
const MAX_TEXT = 200_000;
/** Maximum characters of consecutive other lines that are shown together. */
const RAW_BLOCK = 20_000;

/** A piece of an agent's stdout, split anywhere. */
interface OutputPiece {
  readonly text: string;
  /** The byte of stdout at which it begins. */
  readonly offset: number;
  /** When it was written, epoch milliseconds, if that is known. */
  readonly at?: number | undefined;
}

/** Parses an agent's stdout into events. */
interface EventReader {
  push(piece: OutputPiece): void;
  /** All events so far, oldest first. The list grows in place; an event that changes is replaced by a new object. */
  readonly events: TimelineEvent[];
}

/** @param fromMiddle whether the text begins inside a line, which is then skipped */
export function createEventReader(fromMiddle = false): EventReader {
  const events: TimelineEvent[] = [];
  const indexByKey = new Map<string, number>();
  let parts: string[] = [];
  let length = 0;
  let lineStart: number | undefined;
  let skipping = fromMiddle;

  const before = (key: string) => {
    const index = indexByKey.get(key);
    return index === undefined ? undefined : events[index]?.event;
  };
  const line = (text: string, offset: number, arrived: number | undefined) => {
    if (text.trim() === '') return;
    const value = text.length > MAX_LINE ? undefined : parsed(text);
    const changes = codexChanges(value) ?? appServerChanges(value) ?? claudeChanges(value, before);
    if (changes === undefined) {
      raw(events, text, String(offset), arrived);
      return;
    }
    for (const [number, change] of changes.entries()) {
      const id = number === 0 ? String(offset) : `${offset}.${number}`;
      show(events, indexByKey, id, change, change.at ?? arrived);
    }
  };

  return {
    events,
    push({ text, offset, at }) {
      let start = 0;
      // Only lines are measured in bytes, because measuring is slow. Every piece has its exact offset.
      let byte = offset;
      for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', start)) {
        const part = text.slice(start, feed + 1);
        parts.push(part.slice(0, -1));
        if (!skipping) line(parts.join(''), lineStart ?? byte, at);
        skipping = false;
        parts = [];
        length = 0;
        byte += ENCODER.encode(part).length;
        lineStart = undefined;
        start = feed + 1;
      }
      const rest = text.slice(start);
      if (rest === '') return;
      lineStart ??= byte;
      length += rest.length;
      // A line that is too long to be an event is not buffered to its end.
      if (length <= MAX_LINE + 1) parts.push(rest);
    },
  };
}

const ENCODER = new TextEncoder();

function show(
  events: TimelineEvent[],
  indexByKey: Map<string, number>,
  id: string,
  { key, event }: EventChange,
  at: number | undefined,
): void {
  const index = key === undefined ? undefined : indexByKey.get(key);
  const started = index === undefined ? undefined : events[index];
  if (index !== undefined && started !== undefined) {
    events[index] = { ...started, event: bounded(event), ...(at !== undefined && isOver(event) && { endedAt: at }) };
    return;
  }
  // codex reports the error that ends a turn twice.
  const last = events.at(-1)?.event;
  if (event.kind === 'error' && last?.kind === 'error' && last.text === event.text) return;
  if (key !== undefined) indexByKey.set(key, events.length);
  events.push({ id, event: bounded(event), ...(at !== undefined && { startedAt: at }) });
}

function isOver(event: AgentEvent): boolean {
  return !('state' in event) || event.state !== 'running';
}

function parsed(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function raw(events: TimelineEvent[], text: string, id: string, at: number | undefined): void {
  const last = events.at(-1);
  if (last?.event.kind === 'raw' && last.event.text.length + text.length < RAW_BLOCK) {
    events[events.length - 1] = { ...last, event: { kind: 'raw', text: `${last.event.text}\n${text}` } };
  } else events.push({ id, event: bounded({ kind: 'raw', text }), ...(at !== undefined && { startedAt: at }) });
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
