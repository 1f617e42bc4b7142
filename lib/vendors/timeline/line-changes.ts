import type { AgentEvent, EventChange } from './agent-event.ts';
import { appServerChanges } from './app-server-lines.ts';
import { claudeChanges } from './claude-lines.ts';
import { codexChanges } from './codex-lines.ts';
import { MAX_LINE } from './line-reader.ts';

/**
 * The events in a line of an agent's stdout; undefined for a line that is not an event.
 * @param before the earlier events by key
 */
export function lineChanges(
  text: string,
  before: (key: string) => AgentEvent | undefined,
): readonly EventChange[] | undefined {
  const value = text.length > MAX_LINE ? undefined : parsed(text);
  return codexChanges(value) ?? appServerChanges(value) ?? claudeChanges(value, before);
}

function parsed(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
