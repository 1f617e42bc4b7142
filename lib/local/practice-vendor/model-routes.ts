import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { readMessages } from './claude/conversation.ts';
import { refuseMessage } from './claude/refusal.ts';
import { openMessage } from './claude/reply.ts';
import { readResponses } from './codex/conversation.ts';
import { openResponse } from './codex/reply.ts';
import { Journal } from './journal.ts';
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
