import type { AgentEvent, EventChange } from '../../../../lib/vendors/timeline/agent-event.ts';
import { lineChanges } from '../../../../lib/vendors/timeline/line-changes.ts';
import { createLineReader, type OutputPiece } from '../../../../lib/vendors/timeline/line-reader.ts';
import type { TimelineEvent } from './timeline-event.ts';

/** Maximum characters of a text that are kept to be shown. The raw log has everything. */
const MAX_TEXT = 200_000;
/** Maximum characters of consecutive other lines that are shown together. */
const RAW_BLOCK = 20_000;

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
  const before = (key: string) => {
    const index = indexByKey.get(key);
    return index === undefined ? undefined : events[index]?.event;
  };
  const { push } = createLineReader((text, offset, arrived) => {
    if (text.trim() === '') return;
    const changes = lineChanges(text, before);
    if (changes === undefined) {
      raw(events, text, String(offset), arrived);
      return;
    }
    for (const [number, change] of changes.entries()) {
      const id = number === 0 ? String(offset) : `${offset}.${number}`;
      show(events, indexByKey, id, change, arrived);
    }
  }, fromMiddle);
  return { events, push };
}

function show(
  events: TimelineEvent[],
  indexByKey: Map<string, number>,
  id: string,
  { key, event, at: reported }: EventChange,
  arrived: number | undefined,
): void {
  const at = reported ?? arrived;
  const index = key === undefined ? undefined : indexByKey.get(key);
  const started = index === undefined ? undefined : events[index];
  if (index !== undefined && started !== undefined) {
    const { isExact: _, ...rest } = started;
    const isExact = started.isExact === true && reported !== undefined;
    events[index] = {
      ...rest,
      event: bounded(event),
      ...(at !== undefined && isOver(event) && { endedAt: at }),
      ...(isExact && { isExact }),
    };
    return;
  }
  // codex reports the error that ends a turn twice.
  const last = events.at(-1)?.event;
  if (event.kind === 'error' && last?.kind === 'error' && last.text === event.text) return;
  if (key !== undefined) indexByKey.set(key, events.length);
  events.push({
    id,
    event: bounded(event),
    ...(at !== undefined && { startedAt: at }),
    ...(reported !== undefined && { isExact: true }),
  });
}

function isOver(event: AgentEvent): boolean {
  return !('state' in event) || event.state !== 'running';
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
