import { randomInt } from 'node:crypto';
import type { MessageEntity } from './parse-html.ts';

/*
 * The chats of the stand-in: one bot, two people, a private chat and a group. It keeps what the Bot API shows of them,
 * in its shapes, and what people see besides: which button they pressed and what the bot answered. All of it is lost at
 * the end of the run.
 */

export interface Person {
  readonly id: number;
  readonly is_bot: boolean;
  readonly first_name: string;
  readonly username: string;
}

interface Chat {
  readonly id: number;
  readonly type: 'private' | 'group';
  readonly title?: string;
  readonly first_name?: string;
}

interface Button {
  readonly text: string;
  readonly callback_data?: string | undefined;
  readonly url?: string | undefined;
}

export interface ReplyMarkup {
  readonly inline_keyboard?: readonly (readonly Button[])[] | undefined;
  readonly force_reply?: boolean | undefined;
  readonly input_field_placeholder?: string | undefined;
}

export interface Message {
  readonly message_id: number;
  readonly from: Person;
  readonly chat: Chat;
  /** Seconds since 1970. */
  readonly date: number;
  readonly edit_date?: number;
  readonly text: string;
  readonly entities?: readonly MessageEntity[];
  readonly reply_markup?: Pick<ReplyMarkup, 'inline_keyboard'>;
  readonly reply_to_message?: Omit<Message, 'reply_to_message'>;
}

/** A press that the bot has or has not answered. */
interface CallbackQuery {
  readonly id: string;
  readonly from: Person;
  readonly message: Message;
  readonly chat_instance: string;
  readonly data: string;
}

interface Update {
  readonly update_id: number;
  readonly message?: Message;
  readonly callback_query?: CallbackQuery;
}
export type UpdateKind = Exclude<keyof Update, 'update_id'>;

export const PEOPLE = [
  { id: 1001, is_bot: false, first_name: 'Ada', username: 'ada_stand_in' },
  { id: 1002, is_bot: false, first_name: 'Bob', username: 'bob_stand_in' },
] as const satisfies readonly Person[];

export const CHATS = [
  { id: 1001, type: 'private', first_name: 'Ada' },
  { id: -4001, type: 'group', title: 'Crew' },
] as const satisfies readonly Chat[];

/** How long the bot may take to answer a press. */
const QUERY_MS = 15_000;

export class Chats {
  readonly bot: Person = { id: 110_201_543, is_bot: true, first_name: 'Promptq', username: 'promptq_stand_in_bot' };
  readonly messages: Message[] = [];
  /** Chats that have blocked the bot. */
  readonly blocked = new Set<number>();
  /** Messages that ask for a reply, with the text of the empty field. */
  readonly asksReply = new Map<Message['message_id'], string>();
  /** What the bot said to a press, by the press. */
  readonly toasts: {
    readonly query: string;
    readonly person: number;
    readonly text: string;
    readonly alert: boolean;
  }[] = [];
  readonly #updates: Update[] = [];
  readonly #queries = new Map<string, { readonly person: number; readonly until: number; isAnswered: boolean }>();
  /** Counts the changes. */
  version = 0;
  #nextMessage = 1;
  #nextUpdate = randomInt(100_000_000, 900_000_000);
  #changed = Promise.withResolvers<void>();

  chat(id: number): Chat | undefined {
    return CHATS.find((chat) => chat.id === id);
  }

  find(chat: number, message: number): Message | undefined {
    return this.messages.find((known) => known.chat.id === chat && known.message_id === message);
  }

  /** A message of the bot. */
  send(
    chat: Chat,
    content: Pick<Message, 'text' | 'entities'>,
    { markup = {}, replied }: { readonly markup?: ReplyMarkup | undefined; readonly replied?: Message | undefined },
  ): Message {
    const { inline_keyboard } = markup;
    const message = this.#add({
      ...{ from: this.bot, chat, ...content, ...quoting(replied) },
      ...(inline_keyboard && { reply_markup: { inline_keyboard } }),
    });
    if (markup.force_reply) this.asksReply.set(message.message_id, markup.input_field_placeholder ?? '');
    return message;
  }

  /** The message with another text; its buttons are those of the edit. */
  edit(message: Message, content: Pick<Message, 'text' | 'entities'>, { inline_keyboard }: ReplyMarkup = {}): Message {
    const { reply_markup: _buttons, entities: _entities, ...rest } = message;
    const edited = {
      ...{ ...rest, ...content, edit_date: secondsNow() },
      ...(inline_keyboard && { reply_markup: { inline_keyboard } }),
    };
    this.messages[this.messages.indexOf(message)] = edited;
    this.#announce();
    return edited;
  }

  /** A person writes. In a group the bot gets only commands and replies to its messages: its privacy mode. */
  write(chat: Chat, from: Person, text: string, replyTo: Message | undefined): void {
    const message = this.#add({ from, chat, text, ...quoting(replyTo) });
    const isForBot = chat.type === 'private' || text.startsWith('/') || replyTo?.from.id === this.bot.id;
    if (isForBot) this.#queue({ message });
  }

  /** A person presses a button. @returns the id of the press */
  press(message: Message, from: Person, data: string): string {
    const id = String(randomInt(2 ** 47));
    this.#queries.set(id, { person: from.id, until: Date.now() + QUERY_MS, isAnswered: false });
    this.#queue({ callback_query: { id, from, message, chat_instance: String(message.chat.id), data } });
    return id;
  }

  /** @returns whether the press is known and still waits */
  answerPress(id: string, text: string, alert: boolean): boolean {
    const query = this.#queries.get(id);
    if (query === undefined || query.isAnswered || query.until < Date.now()) return false;
    query.isAnswered = true;
    this.toasts.push({ query: id, person: query.person, text, alert });
    this.#announce();
    return true;
  }

  /** Presses that the bot has not answered yet, as their buttons still spin. */
  get spinning(): string[] {
    const now = Date.now();
    return [...this.#queries].filter(([, { isAnswered, until }]) => !isAnswered && until > now).map(([id]) => id);
  }

  /** The updates that wait, oldest first. */
  pending(kinds: readonly UpdateKind[] | undefined): readonly Update[] {
    return kinds === undefined ? this.#updates : this.#updates.filter((update) => kinds.some((kind) => kind in update));
  }

  /** Forgets all updates before one; negative: all but the last so many. */
  confirm(offset: number): void {
    const kept = offset < 0 ? this.#updates.slice(offset) : this.#updates.filter(({ update_id: id }) => id >= offset);
    this.#updates.splice(0, this.#updates.length, ...kept);
  }

  /** Resolves at the next change. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  #add(message: Omit<Message, 'message_id' | 'date'>): Message {
    const added = { message_id: this.#nextMessage++, date: secondsNow(), ...message };
    this.messages.push(added);
    this.#announce();
    return added;
  }

  #queue(update: Omit<Update, 'update_id'>): void {
    this.#updates.push({ update_id: this.#nextUpdate++, ...update });
    this.#announce();
  }

  #announce(): void {
    this.version += 1;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

/** The message that another one answers, without the one that it answers itself. */
function quoting(replied: Message | undefined): Pick<Message, 'reply_to_message'> {
  if (replied === undefined) return {};
  const { reply_to_message: _earlier, ...quoted } = replied;
  return { reply_to_message: quoted };
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}
