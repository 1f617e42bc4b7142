import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newBotToken, startTelegram } from '../../../../lib/local/stand-ins/telegram/telegram.ts';
import { waitFor } from '../../../local-run/local-service.ts';

const [ADA, BOB, GROUP] = [1001, 1002, -4001];

let telegram: Awaited<ReturnType<typeof startTelegram>>;
beforeEach(async () => {
  telegram = await startTelegram({ key: 'key', botToken: newBotToken() });
});
afterEach(async () => await telegram.close());

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
type Answer = any;
const call = async (method: string, body: object = {}, token = telegram.botToken): Promise<Answer> =>
  await (await fetch(`${telegram.api}/bot${token}/${method}`, { method: 'POST', body: JSON.stringify(body) })).json();
const result = async (method: string, body: object = {}): Promise<Answer> => {
  const answer = await call(method, body);
  expect(answer).toMatchObject({ ok: true });
  return answer.result;
};
const people = async (method: string, path: string, body?: object): Promise<Answer> =>
  await (await fetch(`${telegram.page}${path}`, { method, ...(body && { body: JSON.stringify(body) }) })).json();
const refusedWith = (error_code: number, description: string, more: object = {}) => ({
  ...{ ok: false, error_code, description, ...more },
});
const keyboard = (data: string) => ({ inline_keyboard: [[{ text: 'Yes', callback_data: data }]] });

test('only the bot with its token gets an answer, and only for methods that exist', async () => {
  expect(await result('getMe')).toMatchObject({ id: 110_201_543, is_bot: true });
  expect(await call('getMe', {}, '1:x')).toEqual(refusedWith(401, 'Unauthorized'));
  expect(await call('sendPhoto')).toEqual(refusedWith(404, 'Not Found'));
});

test.for([
  [{ chat_id: 1 }, 'chat not found'],
  [{ text: ' ' }, 'message text is empty'],
  [{ text: 'x'.repeat(4_097) }, 'message is too long'],
  [{ text: '<b>', parse_mode: 'HTML' }, `can't parse entities: Can't find end tag corresponding to start tag "b"`],
  [{ reply_markup: keyboard('é'.repeat(33)) }, 'BUTTON_DATA_INVALID'],
  [{ reply_markup: keyboard('') }, 'BUTTON_DATA_INVALID'],
] as const)('a message is refused: %j', async ([given, description]) => {
  const answer = await call('sendMessage', { chat_id: ADA, text: 'Hello', ...given });
  expect(answer).toEqual(refusedWith(400, `Bad Request: ${description}`));
});

test('a limit counts what is left after parsing, and 64 bytes of data are allowed', async () => {
  const text = `<b>${'&lt;'.repeat(4_096)}</b>`;
  const sent = await result('sendMessage', {
    ...{ chat_id: String(ADA), text, parse_mode: 'HTML', reply_markup: keyboard('é'.repeat(32)) },
  });
  expect(sent).toMatchObject({ message_id: 1, chat: { id: ADA }, entities: [{ type: 'bold', length: 4_096 }] });
});

test('a press reaches the bot, which answers it once and changes the message', async () => {
  const { message_id } = await result('sendMessage', { chat_id: GROUP, text: 'Go?', reply_markup: keyboard('yes') });
  const waiting = result('getUpdates', { timeout: 20 });
  const { query } = await people('POST', 'press', { chat: GROUP, person: BOB, message: message_id, data: 'forged' });
  const [update] = await waiting;
  expect(update).toMatchObject({
    callback_query: { id: query, from: { id: BOB }, data: 'forged', message: { message_id, chat: { id: GROUP } } },
  });
  expect(await result('answerCallbackQuery', { callback_query_id: query, text: 'Not yours.' })).toBe(true);
  const again = await call('answerCallbackQuery', { callback_query_id: query });
  expect(again.description).toBe('Bad Request: query is too old and response timeout expired or query ID is invalid');
  const edit = { chat_id: GROUP, message_id, text: 'Went.' };
  expect(await result('editMessageText', edit)).not.toHaveProperty('reply_markup');
  expect((await call('editMessageText', edit)).description).toContain('message is not modified');
  expect(await people('GET', 'state')).toMatchObject({
    messages: [{ text: 'Went.' }],
    toasts: [{ query, person: BOB, text: 'Not yours.' }],
    spinning: [],
  });
  expect(await result('getUpdates', { offset: update.update_id + 1 })).toEqual([]);
});

test('in a group the bot gets replies to its messages only', async () => {
  const { message_id } = await result('sendMessage', {
    chat_id: GROUP,
    text: 'Which?',
    reply_markup: { force_reply: true },
  });
  expect((await people('GET', 'state')).asks).toEqual([message_id]);
  await people('POST', 'write', { chat: GROUP, person: ADA, text: 'Lunch?' });
  await people('POST', 'write', { chat: GROUP, person: ADA, text: 'blue', reply_to: message_id });
  expect(await result('getUpdates')).toMatchObject([
    { message: { text: 'blue', from: { id: ADA }, reply_to_message: { message_id } } },
  ]);
});

test('a second poll ends the first', async () => {
  await people('POST', 'write', { chat: ADA, person: ADA, text: 'hi' });
  const waiting = call('getUpdates', { timeout: 20, offset: (await result('getUpdates'))[0].update_id + 1 });
  // The waiting one is there once its offset has counted.
  await waitFor(async () => (await result('getWebhookInfo')).pending_update_count === 0);
  const second = call('getUpdates', { timeout: 20 });
  expect(await waiting).toMatchObject({ error_code: 409, description: expect.stringContaining('other getUpdates') });
  await telegram.close();
  await expect(second).rejects.toThrow();
  telegram = await startTelegram({ key: 'key', botToken: newBotToken() });
});

test('a webhook gets each update with its secret until it answers 2xx, and there is no polling meanwhile', async () => {
  const got: { secret: unknown; update: { update_id: number } }[] = [];
  const take = async (request: IncomingMessage) => {
    const update = (await json(request)) as { update_id: number };
    got.push({ secret: request.headers['x-telegram-bot-api-secret-token'], update });
    return got.length === 1 ? 500 : 200;
  };
  const receiver = createServer((request, response) => {
    void take(request).then((status) => response.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  try {
    await waitFor(async () => receiver.listening);
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    expect((await call('setWebhook', { url: 'http://example.com/' })).description).toContain('HTTPS');
    expect((await call('setWebhook', { url, secret_token: 'not allowed' })).description).toContain('unallowed');
    await result('setWebhook', { url, secret_token: 's3cret', allowed_updates: ['message'] });
    expect(await call('getUpdates')).toMatchObject({ error_code: 409 });
    await people('POST', 'write', { chat: ADA, person: ADA, text: 'hi' });
    await waitFor(async () => got.length === 2 && (await result('getWebhookInfo')).pending_update_count === 0);
    expect(got[0]).toMatchObject({ secret: 's3cret', update: { message: { text: 'hi' } } });
    expect(got[1]).toEqual(got[0]);
    expect((await result('getWebhookInfo')).last_error_message).toContain('500');
    await result('deleteWebhook');
    expect(await result('getUpdates')).toEqual([]);
  } finally {
    receiver.close();
    receiver.closeAllConnections();
  }
});

test('failures come on request, as often as asked', async () => {
  const faults = [
    { call: 'sendMessage', status: 429, retry_after: 3, times: 2 },
    { call: 'sendMessage', answer: 'lost' },
  ];
  expect(await people('PUT', 'faults', faults)).toHaveLength(2);
  const send = async () => await call('sendMessage', { chat_id: ADA, text: 'Hello' });
  const slower = refusedWith(429, 'Too Many Requests: retry after 3', { parameters: { retry_after: 3 } });
  expect([await send(), await send()]).toEqual([slower, slower]);
  await expect(send()).rejects.toThrow();
  expect(await send()).toMatchObject({ result: { message_id: 2 } });
  await people('PUT', 'blocked', { chat: ADA, blocked: true });
  expect(await send()).toEqual(refusedWith(403, 'Forbidden: bot was blocked by the user'));
  expect(await people('PUT', 'faults', { call: 1 })).toMatchObject({
    error: expect.stringContaining('expected array'),
  });
});

test('pages of other origins and other host names are refused', async () => {
  for (const url of [`${telegram.page}state`, `${telegram.api}/bot${telegram.botToken}/getMe`])
    expect((await fetch(url, { headers: { origin: 'https://evil.test' } })).status).toBe(403);
  const named = telegram.page.replace('127.0.0.1', 'localhost');
  expect((await fetch(`${named}state`)).status).toBe(403);
  expect((await fetch(telegram.page.replace('/key/', '/other/'))).status).toBe(404);
});
