import * as z from 'zod';
import type { AgentFacts, AgentReader, MessageReader } from '../output/agent-output.ts';
import { createJsonLines } from '../output/json-lines.ts';
import { parkedBy } from './codex-park.ts';

/** Parses `codex exec --json`. Unknown events change nothing, nor does `error`, after which codex continues. */
export function createCodexReader(messages?: MessageReader): AgentReader {
  let facts: AgentFacts = { finished: false };
  const lines = createJsonLines((line) => {
    const event = eventSchema.safeParse(line);
    if (!event.success) return;
    facts = { ...facts, ...learn(event.data) };
    if (event.data.type !== 'item.completed') return;
    messages?.push(event.data.item.text);
    messages?.end();
  });
  // A line without its end is an event that was cut off.
  return { push: (chunk) => lines.push(chunk), end: () => undefined, facts: () => facts };
}

const count = z.number().default(0);
const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thread.started'), thread_id: z.string() }),
  z.object({
    type: z.literal('item.completed'),
    item: z.object({ type: z.literal('agent_message'), text: z.string() }),
  }),
  z.object({
    type: z.literal('turn.completed'),
    usage: z.object({
      input_tokens: count,
      cached_input_tokens: count,
      output_tokens: count,
      reasoning_output_tokens: count,
    }),
  }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) }),
]);

function learn(event: z.output<typeof eventSchema>): Partial<AgentFacts> {
  switch (event.type) {
    case 'thread.started':
      return { sessionId: event.thread_id };
    case 'item.completed':
      return { finalMessage: event.item.text };
    case 'turn.completed':
      return { usage: event.usage, finished: true };
    case 'turn.failed': {
      const { message } = event.error;
      const park = parkedBy(message);
      return { error: readable(message), finished: true, ...(park !== undefined && { park }) };
    }
  }
}

/** The bodies of errors from the vendor's servers. */
const vendorErrorSchema = z.union([
  z.object({ error: z.object({ message: z.string().min(1) }) }).transform(({ error }) => error.message),
  z.object({ detail: z.string().min(1) }).transform(({ detail }) => detail),
]);

/** codex passes some vendor errors on as raw JSON (a 400's, for example). Returns the sentence in it. */
function readable(message: string): string {
  const start = message.indexOf('{');
  const end = message.lastIndexOf('}') + 1;
  if (start < 0 || end <= start) return message;
  try {
    const sentence = vendorErrorSchema.parse(JSON.parse(message.slice(start, end)));
    return `${message.slice(0, start)}${sentence}${message.slice(end)}`;
  } catch {
    return message;
  }
}
