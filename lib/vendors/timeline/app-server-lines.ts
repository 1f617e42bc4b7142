import * as z from 'zod';
import { appServerTokensSchema } from '../codex/codex-tokens.ts';
import type { AgentEvent, CallState, EventChange } from './agent-event.ts';
import { errorWords } from './error-words.ts';
import { codexTokens } from './token-facts.ts';

/** The events in a line of `codex app-server`; undefined for other lines. */
export function appServerChanges(line: unknown): readonly EventChange[] | undefined {
  if (!lineSchema.safeParse(line).success) return undefined;
  const event = eventSchema.safeParse(line).data;
  if (event === undefined) return [];
  const at = timeSchema.safeParse(line).data?.emittedAtMs;
  return changesOf(event).map((change) => ({ ...change, ...(at !== undefined && { at }) }));
}

function changesOf(event: z.output<typeof eventSchema>): readonly EventChange[] {
  if ('id' in event) {
    if ('error' in event) return [{ event: { kind: 'error', text: errorWords(event.error.message) } }];
    return [{ event: { kind: 'note', text: `Session ${event.result.thread.id}` } }];
  }
  switch (event.method) {
    case 'error':
      return [{ event: { kind: 'error', text: errorWords(event.params.error.message) } }];
    case 'turn/completed': {
      const { error } = event.params.turn;
      return error == null ? [] : [{ event: { kind: 'error', text: errorWords(error.message) } }];
    }
    case 'thread/tokenUsage/updated': {
      // Each model call replaces the totals of the one before. They include the session's earlier turns.
      return [
        { key: 'token-usage', event: { kind: 'usage', facts: codexTokens(event.params.tokenUsage.total, true) } },
      ];
    }
    case 'item/started':
    case 'item/completed': {
      const { item } = event.params;
      // A text is complete at its end only; a call is shown while it runs.
      const isShown = (one: AgentEvent) => event.method === 'item/completed' || 'state' in one;
      return eventsOf(item)
        .filter(isShown)
        .map((change) => ({ key: item.id, event: change }));
    }
  }
}

/** The lines of `codex exec` and of claude have a `type`. */
const lineSchema = z.union([
  z.object({ type: z.never().optional(), method: z.string() }),
  z.object({ type: z.never().optional(), id: z.union([z.string(), z.number()]), result: z.unknown() }),
  z.object({ type: z.never().optional(), id: z.union([z.string(), z.number()]), error: z.unknown() }),
]);

const id = z.string();
const known = z.discriminatedUnion('type', [
  z.object({
    id,
    type: z.literal('userMessage'),
    clientId: z.string().nullish(),
    content: z.array(z.looseObject({ text: z.string().optional() })),
  }),
  z.object({ id, type: z.literal('agentMessage'), text: z.string() }),
  z.object({
    id,
    type: z.literal('reasoning'),
    summary: z.array(z.string()),
    content: z.array(z.string()).default([]),
  }),
  z.object({
    id,
    type: z.literal('commandExecution'),
    command: z.string(),
    aggregatedOutput: z.string().nullish(),
    exitCode: z.number().nullish(),
    status: z.string(),
  }),
  z.object({
    id,
    type: z.literal('mcpToolCall'),
    server: z.string(),
    tool: z.string(),
    arguments: z.unknown(),
    result: z.object({ content: z.array(z.looseObject({ text: z.string().optional() })) }).nullish(),
    error: z.object({ message: z.string() }).nullish(),
    status: z.string(),
  }),
  z.object({
    id,
    type: z.literal('fileChange'),
    changes: z.array(z.object({ path: z.string(), kind: z.object({ type: z.string() }) })),
    status: z.string(),
  }),
]);
const itemSchema = z.union([
  known,
  z.looseObject({ id, type: z.string(), status: z.string().optional() }).transform((item) => ({
    ...item,
    other: true as const,
  })),
]);
type Item = z.output<typeof itemSchema>;

/** Notifications say when the app server sent them, epoch milliseconds. */
const timeSchema = z.object({ emittedAtMs: z.number().positive() });

const message = z.object({ message: z.string() });
const eventSchema = z.union([
  z.object({ id: z.enum(['initialize', 'login', 'thread', 'turn']), error: message }),
  z.object({ id: z.literal('thread'), result: z.object({ thread: z.object({ id }) }) }),
  z.object({ method: z.literal('error'), params: z.object({ error: message }) }),
  z.object({ method: z.literal('turn/completed'), params: z.object({ turn: z.object({ error: message.nullish() }) }) }),
  z.object({
    method: z.literal('thread/tokenUsage/updated'),
    params: z.object({ tokenUsage: z.object({ total: appServerTokensSchema }) }),
  }),
  z.object({ method: z.enum(['item/started', 'item/completed']), params: z.object({ item: itemSchema }) }),
]);

function eventsOf(item: Item): readonly AgentEvent[] {
  if ('other' in item) {
    const { id: _id, type, status, other: _other, ...rest } = item;
    return [{ kind: 'tool', name: type, input: JSON.stringify(rest, null, 2), output: '', state: stateOf(status) }];
  }
  switch (item.type) {
    case 'userMessage': {
      // The prompt has no id of a client.
      const text = item.content.map(({ text: part = '' }) => part).join('\n');
      return item.clientId == null ? [] : [{ kind: 'note', text }];
    }
    case 'agentMessage':
      return [{ kind: 'message', text: item.text }];
    case 'reasoning': {
      const text = [...item.summary, ...item.content].join('\n\n');
      return text === '' ? [] : [{ kind: 'reasoning', text }];
    }
    case 'commandExecution': {
      const exitCode = item.exitCode ?? null;
      const state = exitCode !== null && exitCode !== 0 ? 'failed' : stateOf(item.status);
      return [{ kind: 'command', command: item.command, output: item.aggregatedOutput ?? '', exitCode, state }];
    }
    case 'mcpToolCall': {
      const name = `${item.server}.${item.tool}`;
      const output = item.error?.message ?? item.result?.content.map(({ text = '' }) => text).join('\n') ?? '';
      const input = item.arguments == null ? '' : JSON.stringify(item.arguments, null, 2);
      return [{ kind: 'tool', name, input, output, state: stateOf(item.status) }];
    }
    case 'fileChange':
      return [
        {
          kind: 'files',
          changes: item.changes.map(({ path, kind }) => ({ path, change: kind.type })),
          state: stateOf(item.status),
        },
      ];
  }
}

function stateOf(status: string | undefined): CallState {
  if (status === 'inProgress') return 'running';
  return status === 'failed' || status === 'declined' ? 'failed' : 'done';
}
