import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { StandInCall, StandInReply } from '../server/stand-in-server.ts';
import type { Chats, Message, ReplyMarkup, UpdateKind } from './chats.ts';
import { EntityError, parseHtml } from './parse-html.ts';
import type { Webhook } from './webhook.ts';

/*
 * The methods of Telegram's Bot API that the service calls, as https://core.telegram.org/bots/api describes them, with
 * the words of the errors that it is known to answer with. A call is `POST /botTOKEN/METHOD` with JSON.
 */

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden: bot was blocked by the user',
  404: 'Not Found',
  409: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  429: 'Too Many Requests: retry after',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
};

/** A refusal in the Bot API's shape. */
export function refusal(status: number, description?: string, retryAfter = 5): StandInReply {
  const words = description ?? DESCRIPTIONS[status] ?? 'Bad Request: refused on request';
  return {
    status,
    body: {
      ok: false,
      error_code: status,
      description: status === 429 && description === undefined ? `${words} ${retryAfter}` : words,
      ...(status === 429 && { parameters: { retry_after: retryAfter } }),
    },
  };
}

class Refused extends Error {
  readonly status: number;

  constructor(status: number, description: string) {
    super(description);
    this.status = status;
  }
}

const bad = (what: string) => new Refused(400, `Bad Request: ${what}`);

/** Characters of a text, after its entities are parsed. */
const MAX_TEXT = 4_096;
/** Bytes. */
const MAX_CALLBACK_DATA = 64;
/** Characters of what a press is answered with. */
const MAX_ANSWER = 200;

const id = z.coerce.number();
const button = z.object({
  text: z.string(),
  callback_data: z.string().optional(),
  url: z.string().optional(),
});
const markup = z.object({
  inline_keyboard: z.array(z.array(button)).optional(),
  force_reply: z.boolean().optional(),
  input_field_placeholder: z.string().max(64).optional(),
});
const content = { text: z.string().default(''), parse_mode: z.string().optional(), reply_markup: markup.optional() };
const replying = z.object({ message_id: id, allow_sending_without_reply: z.boolean().default(false) });
const sending = z.object({ chat_id: id, ...content, reply_parameters: replying.optional() });
const editing = z.object({ chat_id: id, message_id: id, ...content });
const answering = z.object({
  callback_query_id: z.string(),
  text: z.string().default(''),
  show_alert: z.boolean().default(false),
});
const updating = z.object({
  offset: z.int().default(0),
  limit: z.int().min(1).max(100).default(100),
  timeout: z.number().min(0).max(50).default(0),
  allowed_updates: z.array(z.string()).optional(),
});
const hooking = z.object({
  url: z.string().default(''),
  secret_token: z.string().optional(),
  allowed_updates: z.array(z.string()).optional(),
  drop_pending_updates: z.boolean().default(false),
});

/** The Bot API of one bot. */
export class BotApi {
  readonly #chats: Chats;
  readonly #webhook: Webhook;
  readonly #token: string;
  /** Ends the long poll that another one replaces. */
  #polling: AbortController | undefined;

  constructor(options: { readonly chats: Chats; readonly webhook: Webhook; readonly token: string }) {
    this.#chats = options.chats;
    this.#webhook = options.webhook;
    this.#token = options.token;
  }

  async answer(call: StandInCall): Promise<StandInReply> {
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(call.path) ?? [];
    if (token === undefined) return refusal(404);
    if (token !== this.#token) return refusal(401);
    try {
      const given = { ...Object.fromEntries(call.query), ...jsonOf(call.body) };
      const run = this.#methods[method.toLowerCase()];
      if (run === undefined) return refusal(404);
      return { status: 200, body: { ok: true, result: await run(given, call.signal) } };
    } catch (error) {
      if (error instanceof Refused) return refusal(error.status, error.message);
      if (error instanceof z.ZodError) return refusal(400, `Bad Request: ${error.issues[0]?.message}`);
      throw error;
    }
  }

  readonly #methods: Readonly<Record<string, (given: unknown, signal: AbortSignal) => unknown>> = {
    getme: () => ({ ...this.#chats.bot, can_join_groups: true, can_read_all_group_messages: false }),
    sendmessage: (given) => {
      const { chat_id, reply_markup, reply_parameters: reply, ...text } = sending.parse(given);
      const chat = this.#open(chat_id);
      const replied = reply && this.#chats.find(chat_id, reply.message_id);
      if (reply?.allow_sending_without_reply === false && replied === undefined)
        throw bad('message to be replied not found');
      return this.#chats.send(chat, contentOf(text), { markup: checked(reply_markup), replied });
    },
    editmessagetext: (given) => {
      const { chat_id, message_id, reply_markup, ...text } = editing.parse(given);
      this.#open(chat_id);
      const message = this.#chats.find(chat_id, message_id);
      if (message === undefined) throw bad('message to edit not found');
      // The documentation: only messages without reply_markup or with inline keyboards.
      if (message.from.id !== this.#chats.bot.id || this.#chats.asksReply.has(message_id))
        throw bad("message can't be edited");
      const [edited, buttons] = [contentOf(text), checked(reply_markup)];
      if (isSame(message, edited, buttons))
        throw bad(
          'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
        );
      return this.#chats.edit(message, edited, buttons);
    },
    answercallbackquery: (given) => {
      const { callback_query_id, text, show_alert } = answering.parse(given);
      if (text.length > MAX_ANSWER) throw bad('MESSAGE_TOO_LONG');
      if (!this.#chats.answerPress(callback_query_id, text, show_alert))
        throw bad('query is too old and response timeout expired or query ID is invalid');
      return true;
    },
    getupdates: async (given, signal) => await this.#getUpdates(updating.parse(given), signal),
    setwebhook: (given) => {
      const { url, secret_token, allowed_updates, drop_pending_updates } = hooking.parse(given);
      if (secret_token !== undefined && !/^[\w-]{1,256}$/.test(secret_token))
        throw bad('secret token contains unallowed characters');
      if (url !== '' && !/^(https:|http:\/\/127\.0\.0\.1[:/])/.test(url))
        throw bad('bad webhook: An HTTPS URL must be provided for webhook');
      if (drop_pending_updates) this.#chats.confirm(Number.MAX_SAFE_INTEGER);
      this.#polling?.abort();
      this.#webhook.set(url === '' ? undefined : { url, secret: secret_token, kinds: allowed_updates as UpdateKind[] });
      return true;
    },
    deletewebhook: (given) => {
      if (hooking.parse(given).drop_pending_updates) this.#chats.confirm(Number.MAX_SAFE_INTEGER);
      this.#webhook.set(undefined);
      return true;
    },
    getwebhookinfo: () => this.#webhook.info(),
  };

  #open(chatId: number) {
    const chat = this.#chats.chat(chatId);
    if (chat === undefined) throw bad('chat not found');
    if (this.#chats.blocked.has(chatId)) {
      const words = chat.type === 'private' ? 'bot was blocked by the user' : 'bot was kicked from the group chat';
      throw new Refused(403, `Forbidden: ${words}`);
    }
    return chat;
  }

  /** Waits for updates; while a webhook is set, and when another call waits, it answers 409. */
  async #getUpdates(
    { offset, limit, timeout, allowed_updates }: z.output<typeof updating>,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (this.#webhook.info().url !== '')
      throw new Refused(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    this.#polling?.abort();
    const polling = new AbortController();
    this.#polling = polling;
    if (offset !== 0) this.#chats.confirm(offset);
    const ended = AbortSignal.any([polling.signal, signal, AbortSignal.timeout(timeout * 1000)]);
    const kinds = allowed_updates as UpdateKind[] | undefined;
    while (this.#chats.pending(kinds).length === 0 && !ended.aborted) await oneOf(this.#chats.changed, ended);
    if (polling.signal.aborted) throw new Refused(409, DESCRIPTIONS[409] ?? '');
    return this.#chats.pending(kinds).slice(0, limit);
  }
}

/** The name of the method that a call names, as it is written. */
export function methodOf({ path }: StandInCall): string {
  return path.split('/').at(-1) ?? '';
}

function jsonOf(body: Buffer): object {
  if (body.length === 0) return {};
  try {
    const given: unknown = JSON.parse(body.toString());
    if (typeof given === 'object' && given !== null) return given;
  } catch {
    // As another value than an object.
  }
  throw bad("can't parse JSON object");
}

function contentOf({ text, parse_mode }: { text: string; parse_mode?: string | undefined }) {
  if (parse_mode !== undefined && parse_mode.toLowerCase() !== 'html') throw bad('unsupported parse_mode');
  try {
    const { text: plain, entities } = parse_mode === undefined ? { text, entities: [] } : parseHtml(text);
    if (plain.trim() === '') throw bad('message text is empty');
    if (plain.length > MAX_TEXT) throw bad('message is too long');
    return { text: plain, ...(entities.length > 0 && { entities }) };
  } catch (error) {
    if (error instanceof EntityError) throw bad(`can't parse entities: ${error.message}`);
    throw error;
  }
}

function checked(given: z.output<typeof markup> | undefined): ReplyMarkup | undefined {
  for (const { text, callback_data, url } of given?.inline_keyboard?.flat() ?? []) {
    if (text === '') throw bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
    if (callback_data === undefined && url === undefined)
      throw bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
    const bytes = Buffer.byteLength(callback_data ?? '-');
    if (bytes < 1 || bytes > MAX_CALLBACK_DATA) throw bad('BUTTON_DATA_INVALID');
    if (url !== undefined && !URL.canParse(url)) throw bad('BUTTON_URL_INVALID');
  }
  return given;
}

function isSame(
  message: Message,
  content: Pick<Message, 'text' | 'entities'>,
  buttons: ReplyMarkup | undefined,
): boolean {
  const shown = (text: Pick<Message, 'text' | 'entities'>, keyboard: unknown) =>
    JSON.stringify([text.text, text.entities ?? [], keyboard ?? []]);
  return shown(message, message.reply_markup?.inline_keyboard) === shown(content, buttons?.inline_keyboard);
}

async function oneOf(change: Promise<void>, ended: AbortSignal): Promise<void> {
  await Promise.race([change, delay(60_000, undefined, { signal: ended, ref: false }).catch(() => undefined)]);
}
