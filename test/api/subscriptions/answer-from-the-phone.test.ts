import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandsOf, emptyHome } from '../../bin/promptq/promptq-command.ts';
import { axeViolations, loadAxe } from '../../console/scenes/axe.ts';
import { launchBrowser, PAGE_TIMEOUT_MS } from '../../console/setup/browser.ts';
import { shellBlocks } from '../../docs/documents.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { type TelegramPhone, telegramPhone } from '../../local-run/telegram-phone.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;
let subscription: string;
let phone: TelegramPhone;
let browser: Browser;

const home = emptyHome();
const { run } = commandsOf(() => service, home);
/** The words of a line of shell, without its quotes and the program. */
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, text, word]) => text ?? word ?? '').slice(1);

/** The lines of the recipe, the first of which asks for the token. */
const [, subscribe = '', sendTest = '', ask = ''] = (
  shellBlocks('docs/guide/messages.md', 'Answer from the phone')[0] ?? ''
).split('\n');

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService({ env: { PROMPTQ_MESSENGERS: 'practice', PROMPTQ_ANSWER_WAIT_SECONDS: '90' } });
  phone = await telegramPhone(service);
  const made = await run(wordsOf(subscribe), { env: { TELEGRAM_BOT_TOKEN: phone.target.bot_token } });
  expect(made).toMatchObject({ code: 0 });
  const { json, text } = await service.api('GET', '/subscriptions');
  expect(json.items).toMatchObject([{ target: { telegram: { chat_id: '1001' } }, answers_from: ['1001'] }]);
  expect(text).not.toContain(phone.target.bot_token);
  subscription = json.items[0].id;
});

afterAll(async () => {
  for (const context of browser?.contexts() ?? []) await context.close();
  await browser?.close();
  expect(await service?.stop()).toBe(0);
});

const asking = (input: object) => `drill: use ask_human ${JSON.stringify(input)}`;
const resultOf = async (id: string) => (await service.api('GET', `/jobs/${id}/result`)).json;
const questionOf = async (id: string) => (await service.api('GET', `/jobs/${id}/questions`)).json.items[0];

/** The page of the stand-in on a phone. */
async function openPhone() {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  await page.goto(phone.page);
  return page;
}

test('a person presses a button on the phone, and the job continues with that answer', async () => {
  const page = await openPhone();
  const id = await createJob(service, { prompt: asking({ question: 'Which color?', options: ['red', 'blue'] }) });
  const message = page.locator('li', { hasText: 'Which color?' });
  await message.getByRole('button', { name: 'blue', exact: true }).tap();
  await page.getByRole('status').getByText('Your answer: blue').waitFor();
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  expect((await resultOf(id)).final_message).toContain('The answer: blue');
  expect(await questionOf(id)).toMatchObject({ answer: 'blue', answered_by: 'telegram:1001' });
  await message.getByText('Answered').waitFor();
  expect(await message.getByRole('button', { name: 'blue', exact: true }).count()).toBe(0);
  const { items } = (await service.api('GET', '/audit-logs?action=jobs.answer')).json;
  expect(items).toMatchObject([{ actor: 'telegram:1001', target: { id, subscription }, status: 200 }]);
  await loadAxe(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeViolations(page)).toEqual([]);
  }
  const isNarrow = await page.evaluate('document.documentElement.scrollWidth <= 390');
  expect(isNarrow).toBe(true);
});

test('the recipe: a test arrives, and a reply on the phone answers a question without options', async () => {
  const page = await openPhone();
  await run(wordsOf(sendTest));
  await page.locator('li', { hasText: 'Test of a subscription' }).waitFor();
  const id = (await run(wordsOf(ask))).stdout.trim();
  await page.locator('#to').getByText('Reply to').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('Ada & <co>');
  await page.getByRole('button', { name: 'Send' }).tap();
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await resultOf(id)).final_message).toContain('The answer: Ada & <co>');
  await page.locator('li', { hasText: 'Answered' }).last().getByText('“Ada & <co>”').waitFor();
});

test('what is answered in the console no longer asks on the phone', async () => {
  const id = await createJob(service, { prompt: asking({ question: 'Which size?', options: ['S', 'L'] }) });
  const shown = async () =>
    (await phone.call('GET', 'state')).messages.find((one: { text: string }) => one.text.includes('Which size?'));
  const { reply_markup, message_id } = await waitFor(shown);
  await service.api('POST', `/jobs/${id}/answers`, { question_id: (await questionOf(id)).id, answer: 'M' });
  await waitFor(async () => (await shown()).reply_markup === undefined);
  expect((await shown()).text).toContain('“M”');
  const [[{ callback_data: data }]] = reply_markup.inline_keyboard;
  const { query } = await phone.call('POST', 'press', { chat: 1001, person: 1001, message: message_id, data });
  const toast = await waitFor(async () =>
    (await phone.call('GET', 'state')).toasts.find((one: { query: string }) => one.query === query),
  );
  expect(toast.text).toMatch(/^Already answered by token:.*: M$/);
  expect(await questionOf(id)).toMatchObject({ answer: 'M' });
  await untilEnded(service, id);
});
