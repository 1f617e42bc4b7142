import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Conversation, callId } from './conversation.ts';

/** One streamed response of the model. Every method rejects with an AbortError once the client has disconnected. */
export interface Reply {
  reasoning(text: string): Promise<void>;
  message(text: string): Promise<void>;
  /** Calls a tool for a step; complete the response next, since codex makes the call then. */
  call(
    step: number,
    name: 'exec_command' | 'write_stdin',
    parameters: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /** Pauses for that long, with events that keep the client's idle timeout from ending the stream. */
  think(milliseconds: number): Promise<void>;
  /** Sends nothing more; never resolves. */
  fallSilent(): Promise<never>;
  /** Sends the usage and ends the response. */
  complete(): Promise<void>;
}

/** Starts a streamed response. */
export async function openReply(response: ServerResponse, conversation: Conversation): Promise<Reply> {
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
    async call(step, name, parameters) {
      const text = JSON.stringify(parameters);
      await item({ type: 'function_call', call_id: callId(step, conversation), name, arguments: text }, text.length);
    },
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
      await send({ type: 'response.completed', response: { id, usage: usageOf(conversation, written, reasoned) } });
      response.end();
    },
  };
}

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
  const input = PREAMBLE_TOKENS + tokens(conversation.characters);
  const cached = PREAMBLE_TOKENS + tokens(conversation.characters - conversation.freshCharacters);
  const output = tokens(written);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: Math.min(cached, input) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoned === 0 ? 0 : tokens(reasoned) },
    total_tokens: input + output,
  };
}

function tokens(characters: number): number {
  return Math.min(MAX_TOKENS, Math.max(1, Math.ceil(characters / 4)));
}
