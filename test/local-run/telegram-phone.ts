import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceUnderTest } from './local-service.ts';

/** The stand-in of Telegram of a local run that was started with `PROMPTQ_MESSENGERS=practice`. */
export interface TelegramPhone {
  /** The page for people. */
  readonly page: string;
  readonly target: { readonly bot_token: string; readonly chat_id: string };
  /** Calls the side of people. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  call(method: string, path: string, body?: object): Promise<any>;
  /** Calls the Bot API as the bot. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  bot(method: string, body?: object): Promise<any>;
}

export async function telegramPhone({ home }: Pick<ServiceUnderTest, 'home'>): Promise<TelegramPhone> {
  const { messengers } = JSON.parse(await readFile(join(home, 'operator.json'), 'utf8'));
  const { page, target } = messengers.telegram;
  const send = async (url: string, method: string, body?: object) =>
    await (await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) })).json();
  return {
    page,
    target,
    call: async (method, path, body) => await send(`${page}${path}`, method, body),
    bot: async (method, body) => await send(`${new URL(page).origin}/bot${target.bot_token}/${method}`, 'POST', body),
  };
}
