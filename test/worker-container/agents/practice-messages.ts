import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { planSteps, type Step } from '../../../lib/local/practice-vendor/model/drills.ts';

/** A stand-in for Anthropic's Messages API on loopback, whose model does the drills of its prompt. */
export interface PracticeMessages {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly baseUrl: string;
  /** Also taken as a subscription's token. */
  readonly apiKey: string;
  /** Bodies of the requests for messages, oldest first. */
  readonly requests: readonly MessagesRequest[];
  close(): Promise<void>;
}

export interface MessagesRequest {
  readonly model: string;
  readonly tools?: readonly { readonly name: string; readonly input_schema: { readonly properties?: object } }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: unknown;
}

const API_KEY = 'practice-messages-key';

/**
 * Starts it. Drills that it knows: tool, hang, fail, usage-limit, not-logged-in. A prompt
 * without any is answered with itself.
 */
export async function startPracticeMessages(): Promise<PracticeMessages> {
  const requests: MessagesRequest[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://practice').pathname;
    if (`${request.method} ${path}` !== 'POST /v1/messages') {
      return refuse(response, 404, 'not_found_error', `no ${request.method} ${path}`);
    }
    const body = (await json(request)) as MessagesRequest;
    requests.push(body);
    const { 'x-api-key': key, authorization } = request.headers;
    if (key !== API_KEY && authorization !== `Bearer ${API_KEY}`) {
      return refuse(response, 401, 'authentication_error', 'invalid x-api-key');
    }
    return await perform(body, response);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    apiKey: API_KEY,
    requests,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** All that users, tools and claude itself have said, in one text. */
export function textsOf(request: MessagesRequest): string {
  return request.messages.flatMap(({ content }) => blocksOf(content).map(({ text = '' }) => text)).join('\n');
}

async function perform(request: MessagesRequest, response: ServerResponse): Promise<void> {
  const blocks = request.messages.flatMap(({ role, content }) => (role === 'user' ? blocksOf(content) : []));
  const prompt = blocks
    .filter(({ type, text = '' }) => type === 'text' && !text.startsWith('<system-reminder>'))
    .map(({ text = '' }) => text)
    .join('\n');
  const results = blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => said(content));
  const steps = planSteps(prompt).filter(({ drill }) => drill !== 'show');
  const step = steps[results.length];
  if (step !== undefined && (await refused(step, response))) return;
  const stream = new MessageStream(response, request.model);
  if (step?.drill === 'hang') return;
  if (step?.drill === 'tool') return stream.call(results.length, step.command);
  stream.say(results.length > 0 ? `The tools said:\n${results.join('\n')}` : `You said:\n${prompt}`);
}

/** Answers a drill that is an error instead of an answer. */
async function refused(step: Step, response: ServerResponse): Promise<boolean> {
  switch (step.drill) {
    case 'fail':
      refuse(response, step.status, 'api_error', `The stand-in fails as asked (${step.status})`);
      return true;
    case 'not-logged-in':
      refuse(response, 401, 'authentication_error', 'OAuth token has expired.');
      return true;
    case 'usage-limit':
      refuse(response, 429, 'rate_limit_error', "This request would exceed your account's rate limit.", {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': String(Math.ceil(Date.now() / 1_000) + step.seconds),
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        'x-should-retry': 'false',
      });
      return true;
    default:
      return false;
  }
}

function refuse(
  response: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_practice', ...headers });
  response.end(JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_practice' }));
}

/** One streamed answer: a text or a tool call. */
class MessageStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, model: string) {
    this.#response = response;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const usage = { input_tokens: 100, cache_creation_input_tokens: 20, cache_read_input_tokens: 30, output_tokens: 1 };
    const message = { id: 'msg_practice', type: 'message', role: 'assistant', model, content: [], stop_reason: null };
    this.#send('message_start', { message: { ...message, stop_sequence: null, usage } });
  }

  say(text: string): void {
    this.#block({ type: 'text', text: '' }, { type: 'text_delta', text });
    this.#stop('end_turn');
  }

  call(step: number, command: string): void {
    const input = JSON.stringify({ command, description: 'A drill' });
    const use = { type: 'tool_use', id: `toolu_practice_${step}`, name: 'Bash', input: {} };
    this.#block(use, { type: 'input_json_delta', partial_json: input });
    this.#stop('tool_use');
  }

  #block(content_block: object, delta: object): void {
    this.#send('content_block_start', { index: 0, content_block });
    this.#send('content_block_delta', { index: 0, delta });
    this.#send('content_block_stop', { index: 0 });
  }

  #stop(stop_reason: string): void {
    this.#send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } });
    this.#send('message_stop', {});
    this.#response.end();
  }

  #send(type: string, data: object): void {
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  }
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function said(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content)
    ? blocksOf(content as Block[])
        .map(({ text = '' }) => text)
        .join('')
    : '';
}
