import * as z from 'zod';
import { signButton } from '../answers/button-data.ts';
import { digestOf } from '../notice/digest.ts';
import type { Notice } from '../notice/notice.ts';
import { telegramMessage } from '../render/telegram-message.ts';
import type { Outgoing, Recipient, SendContext, Sent } from '../senders/sending.ts';
import { TelegramApi, type TelegramResult } from './telegram-api.ts';
import { placeIdOf } from './telegram-bots.ts';

/*
 * A notice becomes one message. What was asked in one is changed in the same when it is settled, wherever the answer came
 * from, so that no button is left that does nothing. Telegram refuses to change a message that opened the field for a
 * reply, so what became of that question is said in reply to it.
 */

/** A bot in a chat. */
interface TelegramPlace {
  /** The base address of the Bot API. */
  readonly api: string;
  readonly token: string;
  readonly chat: string;
  /** Tells the subscription from every other one, also from an earlier one of its name. */
  readonly subscriptionId: string;
  /** Whether anyone may answer here. */
  readonly answerable: boolean;
}

type Messages = SendContext['messages'];

const sentMessage = z.object({ message_id: z.number(), chat: z.object({ id: z.number() }) });

/** Sends what an event or a digest says to people. */
export async function sendTelegram(context: SendContext, outgoing: Outgoing, recipient: Recipient): Promise<Sent> {
  const { subscription, settings, secrets } = recipient;
  const place = {
    api: context.apis.telegram,
    token: secrets.bot_token?.[0] ?? '',
    chat: String(settings.chat_id),
    subscriptionId: placeIdOf(subscription),
    answerable: subscription.answers_from.length > 0,
  };
  const { id, kind, events } = outgoing;
  const said = (await Promise.all(events.map(context.noticesOf))).flat();
  for (const notice of kind === 'digest' ? [digestOf(said, { key: id, origin: context.origin })] : said) {
    const sent = await sendNotice(context.messages, place, notice, { onlyChange: kind === 'change' });
    if (sent.outcome !== 'sent') return sent;
  }
  return { outcome: 'sent' };
}

/**
 * Sends a notice, or changes the message that it settles.
 * @param options.onlyChange leaves out a notice that changes no message
 */
export async function sendNotice(
  messages: Messages,
  place: TelegramPlace,
  notice: Notice,
  { onlyChange = false }: { readonly onlyChange?: boolean } = {},
): Promise<Sent> {
  const bot = new TelegramApi(place.api, place.token);
  const { question, key } = notice;
  const earlier = notice.settles ? await messages.byKey(place.subscriptionId, key) : undefined;
  if (earlier !== undefined) return await settle(bot, notice, earlier);
  if (onlyChange || (key.startsWith('question:') && notice.settles)) return { outcome: 'sent' };
  const buttonData =
    place.answerable && question !== null
      ? (option: number) =>
          signButton(
            { jobId: question.job_id, questionId: question.id, option },
            { secret: place.token, subscriptionId: place.subscriptionId, chat: place.chat },
          )
      : undefined;
  const sent = await bot.call('sendMessage', { chat_id: place.chat, ...telegramMessage(notice, buttonData) });
  const message = 'result' in sent ? sentMessage.safeParse(sent.result).data : undefined;
  if (message === undefined) return failure(sent);
  await messages.put({
    subscriptionId: place.subscriptionId,
    ...{ key, job: question?.job_id, chat: place.chat, message: String(message.message_id) },
  });
  return { outcome: 'sent' };
}

/** What an edit answers when the message has it already, or can't have it any longer. */
const UNCHANGEABLE = /message is not modified|message to edit not found/;
const NOT_EDITABLE = /message can't be edited/;

async function settle(
  bot: TelegramApi,
  notice: Notice,
  { chat, message }: { readonly chat: string; readonly message: string },
): Promise<Sent> {
  const content = telegramMessage(notice);
  const edited = await bot.call('editMessageText', { chat_id: chat, message_id: Number(message), ...content });
  if ('result' in edited || ('refused' in edited && UNCHANGEABLE.test(edited.refused))) return { outcome: 'sent' };
  if (!('refused' in edited && NOT_EDITABLE.test(edited.refused))) return failure(edited);
  const reply = { message_id: Number(message), allow_sending_without_reply: true };
  const said = await bot.call('sendMessage', { chat_id: chat, reply_parameters: reply, ...content });
  return 'result' in said ? { outcome: 'sent' } : failure(said);
}

/** Statuses and words that no later try changes, until a person changes something. */
function isGone(status: number, words: string): boolean {
  if (status === 401 || status === 403 || status === 404) return true;
  return status === 400 && /chat not found|chat was upgraded|PEER_ID_INVALID|not enough rights|deactivated/.test(words);
}

function failure(result: TelegramResult): Sent {
  if ('result' in result) return { outcome: 'retry', why: 'Telegram answered something else than a message.' };
  if ('failed' in result) return { outcome: 'retry', why: result.failed };
  const why = `Telegram answered ${result.status}: ${result.refused}.`;
  if (isGone(result.status, result.refused)) return { outcome: 'gone', why: `${why}${adviceOf(result)}` };
  return { outcome: 'retry', why, after: result.retryAfterSeconds };
}

/** What a person has to do. */
function adviceOf({ status, refused }: { readonly status: number; readonly refused: string }): string {
  if (status === 401 || status === 404) return ' The token of the bot is not valid.';
  if (/blocked|kicked/.test(refused)) return ' Let the bot write to the chat again.';
  if (/chat not found/.test(refused)) return ' Check chat_id, and that the chat has begun a conversation with the bot.';
  return '';
}
