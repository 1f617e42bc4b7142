import * as z from 'zod';
import { type AnsweringContext, type AnswerOutcome, answerForPerson } from '../answers/answer-for-person.ts';
import { readButton } from '../answers/button-data.ts';
import { escapeMarkup, withoutCalls } from '../notice/foreign-text.ts';
import type { SentMessageStore } from '../store/sent-messages.ts';
import { botIdOf, TelegramApi } from './telegram-api.ts';

/*
 * What people do in a chat comes as updates, by long polling or to the address of a subscription. Two kinds count: the
 * press of a button that is signed for this chat, and a reply to a message that asked a question. Everything else is left
 * alone, so that the bot can be in a chat where people talk.
 *
 * An update is noted once it is handled, so a repeated one changes nothing. A death in between repeats the answer, of
 * which one counts anyway. Who sent an update is what Telegram says; that it is Telegram was checked before.
 *
 * A bot has one address, and may serve several chats: the update's chat decides which subscription it is for.
 */

/** A subscription whose target is a bot in a chat. */
export interface TelegramSubscription {
  readonly id: string;
  /** Tells it from every other one, also from an earlier one of its name. */
  readonly place: string;
  readonly chat: string;
  /** Newest first: buttons that were signed with a former token still count. */
  readonly tokens: readonly string[];
  readonly answersFrom: readonly string[];
}

export interface ReceiveContext extends AnsweringContext {
  readonly messages: Pick<SentMessageStore, 'byMessage' | 'isHandled' | 'noteHandled'>;
  /** The base address of the Bot API. */
  readonly api: string;
}

const person = z.object({ id: z.number(), is_bot: z.boolean().optional() });
const message = z.object({ message_id: z.number(), chat: z.object({ id: z.number() }) });

const updateSchema = z.object({
  update_id: z.int(),
  callback_query: z
    .object({ id: z.string(), from: person, message: message.optional(), data: z.string().optional() })
    .optional(),
  message: message
    .extend({ from: person.optional(), text: z.string().optional(), reply_to_message: message.optional() })
    .optional(),
});
type Update = z.output<typeof updateSchema>;
type Press = NonNullable<Update['callback_query']>;
type Said = NonNullable<Update['message']>;

/** Characters of what a press is answered with. */
const MAX_TOAST = 200;

/**
 * Handles an update of a bot.
 * @param subscriptions those of the bot
 * @throws any error of the store: the update is to be repeated
 */
export async function receiveUpdate(
  context: ReceiveContext,
  token: string,
  subscriptions: readonly TelegramSubscription[],
  given: unknown,
): Promise<void> {
  const update = updateSchema.safeParse(given).data;
  if (update === undefined) return;
  const { update_id: number, callback_query: press, message: said } = update;
  const request = `telegram-${botIdOf(token)}-${number}`;
  const chat = press?.message?.chat.id ?? said?.chat.id;
  const there = subscriptions.filter((one) => chat !== undefined && one.chat === String(chat));
  const concerns = press !== undefined || said?.reply_to_message !== undefined;
  if (!concerns || (await context.messages.isHandled(request))) return;
  const bot = new TelegramApi(context.api, token);
  if (press !== undefined) await takePress({ ...context, bot, request }, there, press);
  else if (said !== undefined) await takeReply({ ...context, bot, request }, there, said);
  await context.messages.noteHandled(request);
}

interface Taking extends ReceiveContext {
  readonly bot: TelegramApi;
  readonly request: string;
}

async function takePress(context: Taking, there: readonly TelegramSubscription[], press: Press): Promise<void> {
  const found = buttonOf(there, press.data ?? '');
  const outcome: AnswerOutcome =
    found === undefined
      ? { kind: 'gone', sentence: 'This button is not valid.' }
      : await answer(context, found.subscription, press.from, {
          ...{ jobId: found.pressed.jobId, questionId: found.pressed.questionId },
          answer: { option: found.pressed.option },
        });
  // Without this, the button spins. A press that is too old can't be answered, which harms nobody.
  await context.bot.call('answerCallbackQuery', {
    callback_query_id: press.id,
    text: outcome.sentence.slice(0, MAX_TOAST).toWellFormed(),
    show_alert: outcome.kind !== 'answered',
  });
}

/** The subscription that signed a button, and what a press of it means. */
function buttonOf(there: readonly TelegramSubscription[], data: string) {
  for (const subscription of there)
    for (const secret of subscription.tokens) {
      const pressed = readButton(data, { secret, subscriptionId: subscription.place, chat: subscription.chat });
      if (pressed !== undefined) return { subscription, pressed };
    }
  return undefined;
}

async function takeReply(context: Taking, there: readonly TelegramSubscription[], said: Said): Promise<void> {
  const { reply_to_message: replied, from, text } = said;
  if (replied === undefined || from === undefined || from.is_bot === true) return;
  for (const subscription of there) {
    const sent = await context.messages.byMessage(subscription.place, subscription.chat, String(replied.message_id));
    const [, questionId] = /^question:(.+)$/.exec(sent?.key ?? '') ?? [];
    if (sent?.job === undefined || questionId === undefined) continue;
    const given = { jobId: sent.job, questionId, answer: { text: text ?? '' } };
    const { kind, sentence } = await answer(context, subscription, from, given);
    // What became of an answer that counts is said in the message of the question.
    if (kind !== 'answered') await sayTo(context, said, sentence);
    return;
  }
}

async function answer(
  context: Taking,
  { id, answersFrom }: TelegramSubscription,
  from: Press['from'],
  given: Pick<Parameters<typeof answerForPerson>[1], 'jobId' | 'questionId' | 'answer'>,
): Promise<AnswerOutcome> {
  return await answerForPerson(context, {
    subscription: { id, answersFrom },
    messenger: 'telegram',
    person: String(from.id),
    requestId: context.request,
    ...given,
  });
}

/** Answers the message of a person. One that can't be sent is left out: the answer itself is decided. */
async function sayTo({ bot }: Taking, { chat, message_id }: Said, sentence: string): Promise<void> {
  await bot.call('sendMessage', {
    chat_id: chat.id,
    text: withoutCalls(escapeMarkup(sentence.slice(0, 1_000).toWellFormed())),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    reply_parameters: { message_id, allow_sending_without_reply: true },
  });
}
