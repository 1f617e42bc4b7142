import * as z from 'zod';
import { type AgentFacts, type AgentReader, type MessageReader, mentions, withPrompt } from '../output/agent-output.ts';
import { createJsonLines } from '../output/json-lines.ts';
import { APP_SERVER_REQUESTS } from './app-server-requests.ts';
import { createCodexAppServerReader } from './codex-app-server-events.ts';
import { failureOf, turnErrorSchema } from './codex-failure.ts';
import { CodexHelpers } from './codex-helpers.ts';
import { codexTokensSchema } from './codex-tokens.ts';

/**
 * Parses `codex exec --json` and `codex app-server`: the form of each line tells which. Unknown events change nothing,
 * nor does an `error` after which codex continues.
 */
export function createCodexReader(messages?: MessageReader, about?: string): AgentReader {
  let facts: AgentFacts = { finished: false };
  /** The usage limit that was reported since the last message. */
  let met: ReturnType<typeof failureOf> | undefined;
  /** How often in a row codex said that it waits for the network, and how. */
  let waits = { count: 0, message: '' };
  const helpers = new CodexHelpers();
  const appServer = createCodexAppServerReader(messages);
  const lines = createJsonLines(
    (line) => {
      const waiting = waitingSchema.safeParse(line).data;
      waits = { count: waiting === undefined ? 0 : waits.count + 1, message: waiting ?? '' };
      if (appServer.read(line)) return;
      helpers.read(line);
      // codex writes the prompt into the session before it asks the model, which all but warnings come from.
      if (facts.lacksPrompt && itemSchema.safeParse(line).success) facts = withPrompt(facts);
      const event = eventSchema.safeParse(line);
      if (!event.success) return;
      if (event.data.type === 'error') {
        const failure = failureOf(event.data);
        met = failure.park?.reason === 'usage_limit' ? failure : undefined;
        return;
      }
      // A turn that only met its limit has not succeeded.
      facts = { ...facts, ...learn(event.data), ...(event.data.type === 'turn.completed' && met) };
      if (event.data.type !== 'item.completed') return;
      met = undefined;
      messages?.push(event.data.item.text);
      messages?.end();
    },
    { mentioning: mentions(about)?.concat(APP_SERVER_THREAD) },
  );
  // A line without its end is an event that was cut off.
  return {
    push: (chunk) => lines.push(chunk),
    end: () => undefined,
    facts() {
      const read = appServer.facts() ?? { ...facts, ...(helpers.working > 0 && { helpers: helpers.working }) };
      if (waits.count < MOST_WAITS) return read;
      return { ...read, finished: true, error: waits.message, park: { reason: 'vendor_overloaded' } };
    },
  };
}

/**
 * codex 0.169 never ends while it can't connect, and says so after 0, 5, 15, 35 and 75 seconds: then the job waits instead
 * of its worker.
 */
const MOST_WAITS = 5;
const WAITING = /\bwaiting for network\b/i;
const waitingSchema = z
  .union([
    z.object({ type: z.literal('error'), message: z.string() }),
    z
      .object({ method: z.literal('error'), params: z.object({ error: z.object({ message: z.string() }) }) })
      .transform(({ params }) => params.error),
  ])
  .transform(({ message }) => message)
  .refine((message) => WAITING.test(message.slice(0, 200)));

/** In the answer of the app server that names the thread whose messages count. */
const APP_SERVER_THREAD = `"${APP_SERVER_REQUESTS.thread}"`;

const itemSchema = z.object({
  type: z.templateLiteral(['item.', z.string()]),
  item: z.object({ type: z.string().refine((type) => type !== 'error') }),
});
const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.object({
    type: z.literal('item.completed'),
    item: z.object({ type: z.literal('agent_message'), text: z.string() }),
  }),
  z.object({
    type: z.literal('turn.completed'),
    usage: codexTokensSchema,
  }),
  z.object({ type: z.literal('turn.failed'), error: turnErrorSchema }),
  z.object({ type: z.literal('error'), message: z.string() }),
]);

function learn(event: Exclude<z.output<typeof eventSchema>, { type: 'error' }>): Partial<AgentFacts> {
  switch (event.type) {
    case 'thread.started':
      return { sessionId: event.thread_id, lacksPrompt: true };
    case 'item.completed':
      return { finalMessage: event.item.text };
    case 'turn.completed':
      return { usage: event.usage, finished: true };
    case 'turn.failed':
      return { ...failureOf(event.error), finished: true };
  }
}
