import { escapeMarkup, withoutCalls } from '../notice/foreign-text.ts';
import type { Notice } from '../notice/notice.ts';
import { plainText } from './plain-text.ts';

/**
 * A notice as Telegram's HTML, in which three escapes make any text a text; its Markdown modes refuse a message for the
 * underscore of a branch's name. `@` is followed by a word joiner, so that no text of a job calls a person.
 */

/** UTF-16 units, of the 4,096 that Telegram takes: escapes count as more here than there, and two tags are added. */
const MOST = 3_900;
/** Units of a button that a phone shows whole. A label that is cut is listed in full in the text. */
const LABEL = 40;

/** What `sendMessage` and `editMessageText` take besides the chat. */
export interface TelegramMessage {
  readonly text: string;
  readonly parse_mode: 'HTML';
  readonly link_preview_options: { readonly is_disabled: true };
  readonly reply_markup?: object;
}

/** @param buttonData the signed data of the button of an option; absent: no one may answer here */
export function telegramMessage(notice: Notice, buttonData?: (option: number) => string): TelegramMessage {
  const { question } = notice;
  const options = question?.options ?? [];
  const canAnswer = question !== null && buttonData !== undefined;
  const isListed = !canAnswer || options.some(({ length }) => length > LABEL);
  const [title = '', ...rest] = plainText(notice, { most: MOST, asText, options: isListed }).split('\n');
  return {
    text: [`<b>${title}</b>`, ...rest].join('\n'),
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    ...(canAnswer && { reply_markup: options.length > 0 ? keyboard(options, buttonData) : FREE_ANSWER }),
  };
}

/** Opens the field for a reply on the phone. */
const FREE_ANSWER = { force_reply: true, input_field_placeholder: 'Your answer' };

function keyboard(options: readonly string[], buttonData: (option: number) => string): object {
  const label = (option: string, at: number) =>
    option.length > LABEL ? `${at + 1}. ${option.slice(0, LABEL - 4).trimEnd()}…`.toWellFormed() : option;
  return {
    inline_keyboard: options.map((option, at) => [{ text: label(option, at), callback_data: buttonData(at) }]),
  };
}

function asText(text: string): string {
  return withoutCalls(escapeMarkup(text));
}
