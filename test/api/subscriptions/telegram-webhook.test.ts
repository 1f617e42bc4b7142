import { afterAll, beforeAll, expect, test } from 'vitest';
import { webhookSecretOf } from '../../../lib/subscriptions/telegram/telegram-api.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { type TelegramPhone, telegramPhone } from '../../local-run/telegram-phone.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;
let phone: TelegramPhone;
let id: string;

beforeAll(async () => {
  const practice = { PROMPTQ_MESSENGERS: 'practice', PROMPTQ_TELEGRAM_UPDATES: 'webhook' };
  service = await startService({ env: { ...practice, PROMPTQ_ANSWER_WAIT_SECONDS: '90' } });
  phone = await telegramPhone(service);
  const target = { telegram: phone.target };
  id = (await service.api('POST', '/subscriptions', { name: 'phone', target, answers_from: ['1001'] })).json.id;
});
afterAll(async () => {
  expect(await service?.stop()).toBe(0);
});

const post = async (body: unknown, secret?: string, to = id) =>
  (
    await fetch(`${service.baseUrl}/api/v1/subscriptions/${to}/telegram`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret !== undefined && { 'x-telegram-bot-api-secret-token': secret }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  ).status;
const state = async () => await phone.call('GET', 'state');
const read = async (job: string) => (await service.api('GET', `/jobs/${job}`)).json;

test('answers come to the address of the subscription, and only with its secret', async () => {
  const { url, allowed_updates } = (await phone.bot('getWebhookInfo')).result;
  expect(url).toBe(`${service.baseUrl}/api/v1/subscriptions/${id}/telegram`);
  expect(allowed_updates).toEqual(['message', 'callback_query']);

  const job = await createJob(service, {
    prompt: `drill: use ask_human ${JSON.stringify({ question: 'Which?', options: ['red', 'blue'] })}`,
  });
  const message = await waitFor(async () => (await state()).messages[0]);
  const [[{ callback_data: data }]] = message.reply_markup.inline_keyboard;
  const press = (number: number, from = 1001) => ({
    update_id: number,
    callback_query: { id: String(number), from: { id: from }, message, data },
  });
  const secret = webhookSecretOf(phone.target.bot_token, id);
  const wrong = [undefined, '', 'x', secret.slice(1), webhookSecretOf(phone.target.bot_token, 'other')];
  expect(await Promise.all(wrong.map(async (one) => await post(press(1), one)))).toEqual(wrong.map(() => 401));
  expect(await post(press(1), secret, 'another')).toBe(404);
  expect(await post('{', secret)).toBe(400);
  expect(await post({ update_id: 'x' }, secret)).toBe(200);
  expect(await post(press(2, 1002), secret)).toBe(200);
  expect((await read(job)).question.state).toBe('open');

  await phone.call('POST', 'press', { chat: 1001, person: 1001, message: message.message_id, data });
  expect(await untilEnded(service, job)).toMatchObject({ status: 'SUCCEEDED' });
  const { version, question } = await read(job);
  expect(question.state).toBe('answered');
  expect(await post(press(3), secret)).toBe(200);
  expect(await read(job)).toMatchObject({ version, question });
  const { items } = (await service.api('GET', '/audit-logs?action=jobs.answer')).json;
  expect(items.map(({ actor, status }: { actor: string; status: number }) => [actor, status])).toEqual([
    ['telegram:1001', 200],
    ['telegram:1002', 403],
  ]);
});

test('a bot that Telegram does not know is refused with the field', async () => {
  const target = { telegram: { bot_token: `17:${'x'.repeat(35)}`, chat_id: '1001' } };
  expect(await service.api('POST', '/subscriptions', { name: 'wrong', target })).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('Telegram answered 401: Unauthorized') },
  });
  const missing = { telegram: { chat_id: '1001' } };
  expect((await service.api('POST', '/subscriptions', { name: 'wrong', target: missing })).json.error).toContain(
    'target.telegram.bot_token',
  );
});
