import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { openMessage, readMessages, refuseMessage } from './claude.ts';
import { openResponse, readResponses } from './codex.ts';
import { type Answerer, answerModel } from './model/answer-model.ts';
import type { Conversation } from './model/conversation.ts';
import { MetLimits } from './model/met-limits.ts';
import { type Refusal, sendRefusal } from './model/refusal.ts';

/** One vendor's format of the model's requests and answers. */
interface Format {
  read(body: unknown, response: ServerResponse): { conversation: Conversation } & Answerer;
  refuse(response: ServerResponse, refusal: Refusal): void;
}

/** By route. */
const FORMATS: Readonly<Record<string, Format>> = {
  'POST /v1/responses': {
    read(body, response) {
      const conversation = readResponses(body);
      return {
        conversation,
        refuse: (refusal) => sendRefusal(response, refusal),
        open: (tokens) => openResponse(response, conversation, tokens),
      };
    },
    refuse: sendRefusal,
  },
  'POST /v1/messages': {
    read(body, response) {
      const conversation = readMessages(body);
      return {
        conversation,
        refuse: (refusal) => refuseMessage(response, refusal),
        open: (tokens) => openMessage(response, conversation, tokens),
      };
    },
    refuse: refuseMessage,
  },
};

/** Answers the model's requests, in the formats of codex and claude, and keeps their journal. */
export class ModelRoutes {
  readonly journal = new Journal();
  readonly #limits = new MetLimits();

  /** Sends an error in the format of a route. @returns false: it is no route of the model */
  refuse(route: string, response: ServerResponse, refusal: Refusal): boolean {
    const format = FORMATS[route];
    format?.refuse(response, refusal);
    return format !== undefined;
  }

  /**
   * @param refusal why every request is refused now, if so
   * @returns false: it is no route of the model
   */
  async answer(
    route: string,
    request: IncomingMessage,
    response: ServerResponse,
    refusal: Refusal | undefined,
  ): Promise<boolean> {
    const format = FORMATS[route];
    if (format === undefined) return false;
    const body = await buffer(request);
    const { conversation, ...answerer } = format.read(JSON.parse(body.toString()), response);
    this.journal.record(request, response, body, conversation);
    if (refusal === undefined) await answerModel(conversation, this.#limits, answerer);
    else format.refuse(response, refusal);
    return true;
  }
}

/** One request of the model. */
export interface JournalEntry {
  /** RFC 3339. */
  readonly at: string;
  readonly path: string;
  /** The CLI's session; null: it named none. */
  readonly session: string | null;
  /** How the prompt of the turn begins. */
  readonly prompt: string;
  /** How many results of this turn's tool calls the request brought. */
  readonly results: number;
  /** The same for two requests with the same body: a CLI repeats failed ones. */
  readonly digest: string;
  /** Of the answer; null: not answered yet. */
  status: number | null;
  /** Whether the whole answer was sent. */
  complete: boolean;
}

const MAX_ENTRIES = 10_000;
const PROMPT_HEAD = 500;

/** What the practice model was asked, oldest first, in memory: the newest 10,000 requests. */
class Journal {
  readonly items: JournalEntry[] = [];

  /** Records a request, and its answer once that has ended. */
  record(request: IncomingMessage, response: ServerResponse, body: Buffer, conversation: Conversation): void {
    const { headers } = request;
    const session = headers['session-id'] ?? headers['x-claude-code-session-id'];
    const entry: JournalEntry = {
      at: new Date().toISOString(),
      path: new URL(request.url ?? '/', 'http://practice').pathname,
      session: typeof session === 'string' ? session : null,
      prompt: Array.from(conversation.prompt.slice(0, 2 * PROMPT_HEAD))
        .slice(0, PROMPT_HEAD)
        .join(''),
      results: conversation.results.length,
      digest: createHash('sha256').update(body).digest('base64url'),
      status: null,
      complete: false,
    };
    if (this.items.push(entry) > MAX_ENTRIES) this.items.shift();
    response.once('close', () => {
      entry.status = response.headersSent ? response.statusCode : null;
      entry.complete = response.writableFinished;
    });
  }
}
