import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';
import { stubSubscriptions } from '../setup/subscription-stubs.ts';

let service: ServiceUnderTest;
let browser: Browser;
let admin: Page;
/** Status that the receiver answers. */
let answer = 200;
const receiver = createServer((_request, response) => response.writeHead(answer).end());

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  admin = await openAs(browser, service.consoleUrl, 'admin');
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  receiver.close();
  await stay(admin);
});

const button = (name: string) => admin.getByRole('button', { name, exact: true });

test('a subscription is made with its secret shown once, tested, paused, edited and deleted', async () => {
  await visit(admin, '/subscriptions/-/new?to=webhook');
  await button('Create subscription').click();
  expect(await admin.getByText('Enter a value.').count()).toBe(2);
  await admin.getByLabel('Name', { exact: true }).fill('From the console');
  const { port } = receiver.address() as AddressInfo;
  await admin.getByLabel('URL').fill(`http://127.0.0.1:${port}/`);
  await button('Create subscription').click();
  expect(await admin.getByTestId('secret').innerText()).toMatch(/^whsec_/);
  await button('I have saved it').click();
  await button('Send test').click();
  await admin.getByText('The test has arrived').waitFor();
  answer = 503;
  await button('Send test').click();
  await admin.getByText('The test has not arrived').waitFor();
  await admin.getByText('503').first().waitFor();
  await button('Pause').click();
  await admin.getByText('Paused', { exact: true }).waitFor();
  await button('Resume').click();
  await admin.getByText('Active', { exact: true }).waitFor();
  await admin.getByRole('link', { name: 'Edit' }).click();
  await admin.getByRole('radio', { name: 'Once an hour' }).check();
  await button('Save').click();
  await admin.getByText('What asks for people, and failures; once an hour').waitFor();
  const { json } = await service.api('GET', '/subscriptions');
  const [stored] = json.items.filter(({ name }: { name: string }) => name === 'From the console');
  expect(stored).toMatchObject({ digest: 'hourly', target: { webhook: { url: `http://127.0.0.1:${port}/` } } });
  await button('Delete').click();
  await button('Delete subscription').click();
  await admin.getByRole('heading', { name: /^Subscriptions/ }).waitFor();
  await admin.getByRole('link', { name: 'From the console' }).waitFor({ state: 'detached' });
});

test('a failure says who has to do what', async () => {
  await stubSubscriptions(admin);
  await visit(admin, '/subscriptions');
  await admin.getByText('The person has blocked the bot. They have to open the bot in Telegram').waitFor();
  await admin.getByText('The recipient has to confirm the mail from AWS').waitFor();
  await admin.getByRole('link', { name: 'Mira' }).click();
  await button('Send test').click();
  await admin.getByText('The test has not arrived').waitFor();
  await admin.unrouteAll({ behavior: 'ignoreErrors' });
});
