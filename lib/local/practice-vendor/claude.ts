import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { type Conversation, callId, conversationOf, type HistoryItem, stepOf } from './model/conversation.ts';
import type { Refusal } from './model/refusal.ts';
import { REPORTED_OUTPUT_TOKENS, type Reply } from './model/reply.ts';

/** Reads the body of `POST /v1/messages`. Throws a ZodError for an invalid body. */
export function readMessages(body: unknown): Conversation & { readonly model: string } {
  const { messages, model } = requestSchema.parse(body);
  const items = messages.flatMap(({ role, content }) => content.flatMap((block) => readBlock(role, block)));
  return { ...conversationOf(items), model };
}

const blockSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
});
type Block = z.output<typeof blockSchema>;
const contentSchema = z.union([
  z.string().transform((text): Block[] => [{ type: 'text', text }]),
  z.array(blockSchema),
]);
const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: contentSchema })),
});

/** claude 2.1.328 also sends user texts itself: about its surroundings. */
const FROM_CLAUDE = /^\s*<system-reminder>/;

/** How claude 2.1.328 words messages that the user sent during the turn. */
const SENT_MEANWHILE =
  /^The user sent a new message while you were working:\n([\s\S]*?)\n\nThis is how Claude Code surfaces messages/gm;

/** What claude puts in place of the model's answer when it resumes an interrupted turn. */
const UNANSWERED = 'No response requested.';

function readBlock(role: string, block: Block): readonly HistoryItem[] {
  const sent =
    role === 'system' ? Array.from((block.text ?? '').matchAll(SENT_MEANWHILE), ([, text = '']) => text) : [];
  return sent.length > 0 ? sent.map((text) => ({ kind: 'prompt', text })) : [readOne(role, block)];
}

function readOne(role: string, block: Block): HistoryItem {
  if (block.type === 'tool_result') {
    const text = textOf(block.content);
    const step = stepOf(block.tool_use_id);
    const result = step === undefined ? undefined : { step, session: undefined, output: text };
    return { kind: 'other', text, result };
  }
  const { text = '' } = block;
  if (block.type !== 'text') return { kind: 'other', text };
  if (role === 'assistant') return { kind: text === UNANSWERED ? 'context' : 'message', text };
  return { kind: role !== 'user' || FROM_CLAUDE.test(text) ? 'context' : 'prompt', text };
}

function textOf(content: unknown): string {
  const read = contentSchema.safeParse(content);
  return read.success ? read.data.map(({ text = '' }) => text).join('') : '';
}

/** Starts a streamed message. `tokens`: what it reports as used; undefined: about what it uses. */
export async function openMessage(
  response: ServerResponse,
  conversation: Conversation & { readonly model: string },
  tokens: number | undefined,
): Promise<Reply> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { signal } = gone;
  let blocks = 0;
  let written = 0;
  let stopReason = 'end_turn';

  async function send(type: string, data: object = {}): Promise<void> {
    signal.throwIfAborted();
    const more = response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    if (!more) await once(response, 'drain', { signal });
  }

  async function block(content_block: object, delta: object): Promise<void> {
    const index = blocks;
    blocks += 1;
    written += JSON.stringify(delta).length;
    await send('content_block_start', { index, content_block });
    await send('content_block_delta', { index, delta });
    await send('content_block_stop', { index });
  }

  async function call(step: number, name: string, input: Readonly<Record<string, unknown>>): Promise<void> {
    const id = `toolu_${callId(step, conversation)}`;
    const partial_json = JSON.stringify(input);
    stopReason = 'tool_use';
    await block({ type: 'tool_use', id, name, input: {} }, { type: 'input_json_delta', partial_json });
  }

  const output = tokens === undefined ? undefined : Math.min(tokens, REPORTED_OUTPUT_TOKENS);
  const input = tokens === undefined ? Math.ceil(conversation.characters / 4) : tokens - (output ?? 0);
  const usage = { input_tokens: input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  const id = `msg_practice_${conversation.length}`;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  await send('message_start', {
    message: { ...MESSAGE, id, model: conversation.model, usage },
  });

  return {
    // A real thought is signed, and the CLI sends it back.
    reasoning: async () => {},
    message: (text) => block({ type: 'text', text: '' }, { type: 'text_delta', text }),
    run: (step, command) => call(step, 'Bash', { command, description: 'A drill' }),
    use: (step, name, input) => call(step, `mcp__promptq__${name}`, input),
    poll: () => Promise.reject(new Error('claude waits for its commands')),
    async think(milliseconds) {
      const end = performance.now() + milliseconds;
      for (let left = milliseconds; left > 0; left = end - performance.now()) {
        await delay(Math.min(left, KEEP_ALIVE_MS), undefined, { signal });
        await send('ping');
      }
    },
    async fallSilent() {
      for (;;) await delay(2 ** 30, undefined, { signal });
    },
    async complete() {
      const delta = { stop_reason: stopReason, stop_sequence: null };
      await send('message_delta', { delta, usage: { output_tokens: output ?? Math.ceil(written / 4) } });
      await send('message_stop');
      response.end();
    },
  };
}

const MESSAGE = { type: 'message', role: 'assistant', content: [], stop_reason: null, stop_sequence: null };

const KEEP_ALIVE_MS = 15_000;

/** Sends an error in the format of the Messages API. */
export function refuseMessage(response: ServerResponse, { status, error }: Refusal): void {
  const { type, headers } = inFormat(status, error);
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_practice', ...headers });
  response.end(JSON.stringify({ type: 'error', error: { type, message: error.message }, request_id: 'req_practice' }));
}

function inFormat(status: number, error: Refusal['error']): { type: string; headers?: Record<string, string> } {
  if (status === 401) return { type: 'authentication_error' };
  if (error.type !== 'usage_limit_reached') return { type: 'api_error' };
  return {
    type: 'rate_limit_error',
    // A subscription's limit, as claude 2.1.328 reads it.
    headers: {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(error.resets_at),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'x-should-retry': 'false',
    },
  };
}
