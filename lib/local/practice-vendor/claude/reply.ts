import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Conversation, callId } from '../model/conversation.ts';
import { REPORTED_OUTPUT_TOKENS, type Reply } from '../model/reply.ts';

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
