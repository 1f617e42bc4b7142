import { expect, test } from 'vitest';
import { newBotToken, startTelegram } from '../../../lib/local/stand-ins/telegram/telegram.ts';
import { pollBot } from '../../../lib/subscriptions/telegram/poll-bot.ts';
import { waitFor } from '../../local-run/local-service.ts';

test('updates are polled in order, again after a failure, until the end, and a webhook gives way', async () => {
  const telegram = await startTelegram({ key: 'key', botToken: newBotToken() });
  const call = async (method: string, body: object) =>
    await fetch(`${telegram.api}/bot${telegram.botToken}/${method}`, { method: 'POST', body: JSON.stringify(body) });
  const write = async (text: string) =>
    await fetch(`${telegram.page}write`, { method: 'POST', body: JSON.stringify({ chat: 1001, person: 1001, text }) });
  await call('setWebhook', { url: 'https://127.0.0.1:1/' });
  await write('one');
  const [texts, lines, ended] = [[] as string[], [] as string[], new AbortController()];
  const polling = pollBot({
    ...{ api: telegram.api, token: telegram.botToken, ended: ended.signal, log: (line) => lines.push(line) },
    receive: async (update) => {
      const { message } = update as { message: { text: string } };
      texts.push(message.text);
      if (texts.length === 1) throw new Error('the table is away');
    },
  });
  await write('two');
  await waitFor(async () => texts.length === 3);
  expect(texts).toEqual(['one', 'one', 'two']);
  expect(lines).toEqual([expect.stringContaining('another deployment has set its webhook')]);
  ended.abort();
  await polling;
  await telegram.close();
});

test('a bot whose token is not valid is not polled', async () => {
  const telegram = await startTelegram({ key: 'key', botToken: newBotToken() });
  const lines: string[] = [];
  const ended = new AbortController().signal;
  const options = { api: telegram.api, token: '17:wrong', ended, receive: async () => expect.fail() };
  await pollBot({ ...options, log: (line) => lines.push(line) });
  expect(lines).toEqual(['updates of the Telegram bot 17 are not read: its token is not valid']);
  await telegram.close();
});
