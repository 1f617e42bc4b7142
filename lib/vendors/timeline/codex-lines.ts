import * as z from 'zod';
import { codexTokensSchema } from '../codex/codex-tokens.ts';
import type { AgentEvent, CallState, EventChange } from './agent-event.ts';
import { errorWords } from './error-words.ts';
import { codexTokens } from './token-facts.ts';

/** The events in a line of `codex exec --json`; undefined for other lines. */
export function codexChanges(line: unknown): readonly EventChange[] | undefined {
  const event = lineSchema.safeParse(line).data;
  if (event === undefined) return undefined;
  switch (event.type) {
    case 'thread.started':
      return [{ event: { kind: 'note', text: `Session ${event.thread_id}` } }];
    case 'turn.started':
      return [];
    case 'turn.completed':
      return [{ event: { kind: 'usage', facts: codexTokens(event.usage) } }];
    case 'turn.failed':
      return [{ event: { kind: 'error', text: errorWords(event.error.message) } }];
    case 'error':
      return [{ event: { kind: 'error', text: errorWords(event.message) } }];
    default:
      return [{ key: event.item.id, event: eventOf(event.item) }];
  }
}

const known = z.discriminatedUnion('type', [
  z.object({ id: z.string(), type: z.literal('agent_message'), text: z.string() }),
  z.object({ id: z.string(), type: z.literal('reasoning'), text: z.string() }),
  z.object({ id: z.string(), type: z.literal('error'), message: z.string() }),
  z.object({
    id: z.string(),
    type: z.literal('command_execution'),
    command: z.string(),
    aggregated_output: z.string().default(''),
    exit_code: z.number().nullish(),
    status: z.string().optional(),
  }),
  z.object({
    id: z.string(),
    type: z.literal('file_change'),
    changes: z.array(z.object({ path: z.string(), kind: z.string() })),
    status: z.string().optional(),
  }),
]);
const itemSchema = z.union([
  known,
  z.looseObject({ id: z.string(), type: z.string(), status: z.string().optional() }).transform((item) => ({
    ...item,
    other: true as const,
  })),
]);
type Item = z.output<typeof itemSchema>;

const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.object({ type: z.literal('turn.started') }),
  z.object({ type: z.literal('turn.completed'), usage: codexTokensSchema }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal('error'), message: z.string() }),
  z.object({ type: z.enum(['item.started', 'item.updated', 'item.completed']), item: itemSchema }),
]);

function eventOf(item: Item): AgentEvent {
  if ('other' in item) {
    const { id: _id, type, status, other: _other, ...rest } = item;
    return { kind: 'tool', name: type, input: JSON.stringify(rest, null, 2), output: '', state: stateOf(status) };
  }
  switch (item.type) {
    case 'agent_message':
      return { kind: 'message', text: item.text };
    case 'reasoning':
      return { kind: 'reasoning', text: item.text };
    case 'error':
      return { kind: 'error', text: errorWords(item.message) };
    case 'command_execution': {
      const exitCode = item.exit_code ?? null;
      const failed = exitCode !== null && exitCode !== 0;
      const state = failed ? 'failed' : stateOf(item.status);
      return { kind: 'command', command: item.command, output: item.aggregated_output, exitCode, state };
    }
    case 'file_change':
      return {
        kind: 'files',
        changes: item.changes.map(({ path, kind }) => ({ path, change: kind })),
        state: stateOf(item.status),
      };
  }
}

function stateOf(status: string | undefined): CallState {
  if (status === 'in_progress') return 'running';
  return status === 'failed' || status === 'declined' ? 'failed' : 'done';
}
