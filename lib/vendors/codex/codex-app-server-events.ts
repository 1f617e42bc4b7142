import * as z from 'zod';
import { addUsage } from '../../contract/usage.ts';
import { type AgentFacts, type MessageReader, withPrompt } from '../output/agent-output.ts';
import { APP_SERVER_REQUESTS } from './app-server-requests.ts';
import { failureOf, type TurnError, turnErrorSchema } from './codex-failure.ts';
import { CodexHelpers } from './codex-helpers.ts';
import { appServerTokensSchema } from './codex-tokens.ts';

/** Reads one line at a time of `codex app-server`. */
interface CodexAppServerReader {
  /** @returns whether the line is one of the app server's */
  read(line: unknown): boolean;
  /** What is known so far; undefined: none of its lines came. */
  facts(): AgentFacts | undefined;
}

/**
 * Unknown lines change nothing. Of the agents that codex starts, which have separate threads, the tokens count, and the
 * result is not final while they work.
 */
export function createCodexAppServerReader(messages?: MessageReader): CodexAppServerReader {
  let facts: AgentFacts | undefined;
  let threadId: string | undefined;
  /** The usage limit that was reported since the last message. */
  let met: TurnError | undefined;
  const helpers = new CodexHelpers();
  return {
    facts() {
      const used = helpers.usage();
      return (
        facts && {
          ...facts,
          ...(used !== undefined && { usage: addUsage(used, facts.usage) }),
          ...(helpers.working > 0 && {
            helpers: helpers.working,
            ...(facts.error === undefined && { finished: false }),
          }),
        }
      );
    },
    read(value) {
      if (!isAppServerLine(value)) return false;
      facts ??= { finished: false, open: true };
      helpers.read(value, threadId);
      const event = eventSchema.safeParse(value).data;
      if (event === undefined) return true;
      if ('id' in event) {
        if ('error' in event) facts = { ...facts, ...failed(event.error) };
        else if (event.id === APP_SERVER_REQUESTS.thread) {
          threadId = event.result.thread.id;
          facts = {
            ...facts,
            sessionId: threadId,
            lacksPrompt: true,
            ...(event.result.model !== undefined && { model: event.result.model }),
          };
        }
        return true;
      }
      if (event.params.threadId !== threadId) return true;
      if (event.method === 'turn/started') {
        const { error: _error, park: _park, refused: _refused, ...rest } = facts;
        facts = { ...rest, finished: false, open: true };
        return true;
      }
      // The prompt is the first of the user's messages, and in the session by then.
      if (event.method === 'item/completed' && event.params.item.type === 'userMessage') facts = withPrompt(facts);
      if (event.method === 'error') {
        const { error } = event.params;
        met = failureOf(error).park?.reason === 'usage_limit' ? error : undefined;
        return true;
      }
      facts = { ...facts, ...learn(event, met) };
      if (event.method === 'item/completed' && event.params.item.type === 'agentMessage') {
        met = undefined;
        messages?.push(event.params.item.text);
        messages?.end();
      }
      return true;
    },
  };
}

/**
 * Whether a line is a response, request or notification. The lines of `codex exec` have a `type` instead. Without a
 * schema, which takes long for each line that it refuses.
 */
function isAppServerLine(line: unknown): boolean {
  if (typeof line !== 'object' || line === null) return false;
  if ('method' in line && typeof line.method === 'string') return true;
  return 'id' in line && ['string', 'number'].includes(typeof line.id) && ('result' in line || 'error' in line);
}

const ownRequest = z.enum(APP_SERVER_REQUESTS);
const threadId = z.string();
const eventSchema = z.union([
  z.object({ id: ownRequest, error: z.object({ message: z.string() }) }),
  z.object({ method: z.literal('turn/started'), params: z.object({ threadId }) }),
  z.object({ method: z.literal('error'), params: z.object({ threadId, error: turnErrorSchema }) }),
  z.object({
    id: z.literal(APP_SERVER_REQUESTS.thread),
    result: z.object({
      thread: z.object({ id: z.string() }),
      model: z.string().min(1).optional().catch(undefined),
    }),
  }),
  z.object({
    method: z.literal('item/completed'),
    params: z.object({
      threadId,
      item: z.discriminatedUnion('type', [
        z.object({ type: z.literal('agentMessage'), text: z.string() }),
        z.object({ type: z.literal('userMessage') }),
      ]),
    }),
  }),
  z.object({
    method: z.literal('thread/tokenUsage/updated'),
    params: z.object({
      threadId,
      tokenUsage: z.object({
        total: appServerTokensSchema,
      }),
    }),
  }),
  z.object({
    method: z.literal('turn/completed'),
    params: z.object({
      threadId,
      turn: z.object({ status: z.string(), error: turnErrorSchema.nullish() }),
    }),
  }),
]);
type Notice = Exclude<Extract<z.output<typeof eventSchema>, { method: string }>, { method: 'error' | 'turn/started' }>;

/** @param met the usage limit that a turn met last: a turn that ends with it has not succeeded */
function learn(event: Notice, met: TurnError | undefined): Partial<AgentFacts> {
  switch (event.method) {
    case 'item/completed': {
      const { item } = event.params;
      return item.type === 'agentMessage' ? { finalMessage: item.text } : {};
    }
    case 'thread/tokenUsage/updated':
      return { usage: event.params.tokenUsage.total };
    case 'turn/completed': {
      const { status, error } = event.params.turn;
      if (status === 'completed') return met === undefined ? { finished: true, open: false } : failed(met);
      return failed(error ?? { message: `the turn ended: ${status}` });
    }
  }
}

function failed(error: TurnError): Partial<AgentFacts> {
  return { ...failureOf(error), finished: true, open: false };
}
