import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import {
  type Conversation,
  callId,
  conversationOf,
  type HistoryItem,
  stepOf,
  type ToolResult,
} from './model/conversation.ts';
import { REPORTED_OUTPUT_TOKENS, type Reply } from './model/reply.ts';

/** Reads the body of `POST /v1/responses`. Throws a ZodError for an invalid body. */
export function readResponses(body: unknown): Conversation {
  return conversationOf(requestSchema.parse(body).input.map(readItem));
}

const itemSchema = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })).nullish(),
  arguments: z.string().optional(),
  call_id: z.string().optional(),
  output: z.unknown().optional(),
});
type Item = z.output<typeof itemSchema>;
const requestSchema = z.looseObject({ input: z.array(itemSchema) });

/** codex 0.169 also sends user messages itself: about the environment, skills, interruptions. */
const FROM_CODEX = /^<(environment_context|user_instructions|skill|turn_aborted|subagent_notification)>/;

function readItem(item: Item): HistoryItem {
  return { kind: kindOf(item), text: textOf(item), result: readResult(item) };
}

function kindOf(item: Item): HistoryItem['kind'] {
  if (item.role === 'assistant') return 'message';
  if (item.role !== 'user') return item.role === undefined ? 'other' : 'context';
  return FROM_CODEX.test(textOf(item)) ? 'context' : 'prompt';
}

function textOf(item: Item): string {
  if (item.output !== undefined) return outputOf(item.output);
  return item.arguments ?? item.content?.map((part) => part.text ?? '').join('') ?? '';
}

/** The output of a command is a text, that of a tool of the attempt a list of texts. */
function outputOf(output: unknown): string {
  if (typeof output === 'string') return output;
  const { data } = z.array(z.looseObject({ text: z.string() })).safeParse(output);
  return data === undefined ? JSON.stringify(output) : data.map(({ text }) => text).join('\n');
}

/** codex 0.169 formats a call's result as some lines of facts, this line, and the output; observed in real requests. */
const OUTPUT_HEADING = '\nOutput:\n';

function readResult(item: Item): ToolResult | undefined {
  const step = stepOf(item.call_id);
  if (item.type !== 'function_call_output' || step === undefined) return undefined;
  const text = textOf(item);
  const heading = text.indexOf(OUTPUT_HEADING);
  const facts = heading < 0 ? text : text.slice(0, heading);
  const output = heading < 0 ? text : text.slice(heading + OUTPUT_HEADING.length);
  // Searched in the facts only: a command may print such a line itself.
  const session = /^Process running with session ID (\d+)$/m.exec(facts)?.[1];
  return { step, session: session === undefined ? undefined : Number(session), output };
}

/** Starts a streamed response. `tokens`: what it reports as used; undefined: about what it uses. */
export async function openResponse(
  response: ServerResponse,
  conversation: Conversation,
  tokens: number | undefined,
): Promise<Reply> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { signal } = gone;
  let written = 0;
  let reasoned = 0;

  async function send(event: Readonly<{ type: string; [more: string]: unknown }>): Promise<void> {
    signal.throwIfAborted();
    const more = response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (!more) await once(response, 'drain', { signal });
  }

  async function item(content: Readonly<Record<string, unknown>>, characters: number): Promise<void> {
    written += characters;
    await send({ type: 'response.output_item.done', item: content });
  }

  async function call(
    step: number,
    tool: { readonly name: string; readonly namespace?: string },
    parameters: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const text = JSON.stringify(parameters);
    await item({ type: 'function_call', call_id: callId(step, conversation), ...tool, arguments: text }, text.length);
  }

  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const id = `resp_practice_${conversation.length}`;
  await send({ type: 'response.created', response: { id } });

  return {
    async reasoning(text) {
      reasoned += text.length;
      await item({ type: 'reasoning', summary: [{ type: 'summary_text', text }] }, text.length);
    },
    async message(text) {
      await item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }, text.length);
    },
    use: (step, name, input) => call(step, { name, namespace: 'mcp__promptq' }, input),
    run: (step, command) => call(step, { name: 'exec_command' }, { cmd: command, yield_time_ms: YIELD_MS }),
    poll: (step, session) =>
      call(step, { name: 'write_stdin' }, { session_id: session, chars: '', yield_time_ms: YIELD_MS }),
    async think(milliseconds) {
      const end = performance.now() + milliseconds;
      for (let left = milliseconds; left > 0; left = end - performance.now()) {
        await delay(Math.min(left, KEEP_ALIVE_MS), undefined, { signal });
        await send({ type: 'keepalive' });
      }
    },
    async fallSilent() {
      for (;;) await delay(2 ** 30, undefined, { signal });
    },
    async complete() {
      const usage = tokens === undefined ? usageOf(conversation, written, reasoned) : reported(tokens);
      await send({ type: 'response.completed', response: { id, usage } });
      response.end();
    },
  };
}

/** codex returns after this time if the command still runs, and at once if it has ended. */
const YIELD_MS = 30_000;

/**
 * codex 0.169 ends a stream after its idle timeout (5 min) without an event; SSE comments don't count, unknown events
 * do.
 */
const KEEP_ALIVE_MS = 15_000;

/** Tokens that codex itself sends before the prompt, reported as cached. */
const PREAMBLE_TOKENS = 1_024;

/**
 * At a usage of 262,000 tokens codex 0.169 summarises its history and continues, which restarts the drill endlessly.
 */
const MAX_TOKENS = 100_000;

function usageOf(conversation: Conversation, written: number, reasoned: number): Readonly<Record<string, unknown>> {
  const input = PREAMBLE_TOKENS + tokensOf(conversation.characters);
  const cached = PREAMBLE_TOKENS + tokensOf(conversation.characters - conversation.freshCharacters);
  const output = tokensOf(written);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: Math.min(cached, input) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoned === 0 ? 0 : tokensOf(reasoned) },
    total_tokens: input + output,
  };
}

function reported(tokens: number): Readonly<Record<string, unknown>> {
  const output = Math.min(tokens, REPORTED_OUTPUT_TOKENS);
  return {
    input_tokens: tokens - output,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens,
  };
}

function tokensOf(characters: number): number {
  return Math.min(MAX_TOKENS, Math.max(1, Math.ceil(characters / 4)));
}
