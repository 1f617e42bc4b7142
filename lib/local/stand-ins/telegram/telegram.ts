import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { BadCall, bodyOf, openStandIn, type StandInCall, type StandInServer } from '../server/stand-in-server.ts';
import { BotApi, methodOf, refusal } from './bot-api.ts';
import { CHATS, Chats, PEOPLE } from './chats.ts';
import { chatPage, pageHeaders } from './page.ts';
import { Webhook } from './webhook.ts';

/*
 * The stand-in of Telegram. Beside what all have, its side of people has
 *
 *   GET  /state     what the page shows; with `after=VERSION` once that has changed, or after 20 s
 *   POST /press     {chat, person, message, data}: presses a button, also with data that no button has
 *   POST /write     {chat, person, text, reply_to?}: writes a message
 *   PUT  /blocked   {chat, blocked}: blocks the bot, or no longer
 */

interface TelegramStandIn extends StandInServer {
  readonly botToken: string;
  /** The ids of its chats. */
  readonly chats: readonly string[];
}

const WAIT_MS = 20_000;

const where = { chat: z.int(), person: z.int() };
const pressing = z.strictObject({ ...where, message: z.int(), data: z.string() });
const writing = z.strictObject({ ...where, text: z.string().min(1), reply_to: z.int().optional() });
const blocking = z.strictObject({ chat: z.int(), blocked: z.boolean() });

/** Starts the stand-in. @param botToken the one that it accepts */
export async function startTelegram({ key, botToken }: { key: string; botToken: string }): Promise<TelegramStandIn> {
  const chats = new Chats();
  const webhook = new Webhook(chats);
  const api = new BotApi({ chats, webhook, token: botToken });
  const server = await openStandIn({
    key,
    answer: async (call) => await api.answer(call),
    nameOf: methodOf,
    refusal: ({ status, description, retry_after: after }) => refusal(status, description, after),
    people: {
      'GET /': () => {
        const nonce = randomBytes(16).toString('base64url');
        return { status: 200, headers: pageHeaders(nonce), body: chatPage(nonce, NAMED) };
      },
      'GET /state': async (call) => ({ status: 200, body: await stateOf(chats, call) }),
      'POST /press': (call) => {
        const { message: id, data, ...at } = bodyOf(pressing, call);
        const { chat, person } = placeOf(at);
        const message = chats.find(chat.id, id);
        if (message === undefined) throw new BadCall(`no message ${id} in this chat`);
        return { status: 200, body: { query: chats.press(message, person, data) } };
      },
      'POST /write': (call) => {
        const { text, reply_to: replied, ...at } = bodyOf(writing, call);
        const { chat, person } = placeOf(at);
        chats.write(chat, person, text, replied === undefined ? undefined : chats.find(chat.id, replied));
        return { status: 200, body: {} };
      },
      'PUT /blocked': (call) => {
        const { chat, blocked } = bodyOf(blocking, call);
        if (blocked) chats.blocked.add(chat);
        else chats.blocked.delete(chat);
        return { status: 200, body: { blocked: [...chats.blocked] } };
      },
    },
  });
  return {
    ...server,
    botToken,
    chats: CHATS.map(({ id }) => String(id)),
    close: async () => {
      webhook.set(undefined);
      await server.close();
    },
  };
}

/** A bot token in the form of Telegram's, of the stand-in's bot. */
export function newBotToken(): string {
  return `110201543:${randomBytes(32).toString('base64url').slice(0, 35)}`;
}

const NAMED = {
  people: PEOPLE.map(({ id, first_name: name }) => ({ id, name })),
  chats: CHATS.map((chat) => ({
    id: chat.id,
    name: chat.type === 'group' ? chat.title : `Promptq and ${chat.first_name}`,
  })),
};

function placeOf({ chat: chatId, person: personId }: { readonly chat: number; readonly person: number }) {
  const chat = CHATS.find(({ id }) => id === chatId);
  const person = PEOPLE.find(({ id }) => id === personId);
  if (chat === undefined || person === undefined) throw new BadCall(`no chat ${chatId}, or no person ${personId}`);
  if (chat.type === 'private' && chat.id !== person.id) throw new BadCall(`the chat ${chatId} is not of ${personId}`);
  return { chat, person };
}

async function stateOf(chats: Chats, { query, signal }: StandInCall) {
  const after = query.get('after');
  if (after === String(chats.version))
    await Promise.race([chats.changed, delay(WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined)]);
  return {
    version: chats.version,
    messages: chats.messages,
    asks: [...chats.asksReply.keys()],
    spinning: chats.spinning,
    toasts: chats.toasts.slice(-20),
    blocked: [...chats.blocked],
  };
}
