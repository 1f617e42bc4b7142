import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { type ServiceUnderTest, startService } from '../local-service.ts';
import { launchBrowser, PAGE_TIMEOUT_MS } from './setup/browser.ts';
import { openTab, press, tabTo } from './setup/keyboard.ts';
import { stubChanges } from './setup/stubs.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

test('every task can be done by keyboard alone, with a visible focus', async () => {
  const context = await browser.newContext({ baseURL: service.consoleUrl });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  // Signing in.
  await page.goto('/auth/sign-in?return_to=%2Fjobs');
  await press(page, page.locator('button[name=role][value=admin]'));
  await page.getByRole('heading', { name: 'No jobs yet' }).waitFor();

  // Creating, following, reading.
  await page.keyboard.press('n');
  await page.getByLabel('Prompt', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('drill: tool sleep 600');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'drill: tool sleep 600' }).waitFor();
  await page.getByText('sleep 600').nth(1).waitFor();
  const first = new URL(page.url()).pathname;

  // Cancelling, retrying.
  await press(page, button(page, 'Cancel job'));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Cancel this job' }));
  await page.getByText('Cancelled').first().waitFor();
  await press(page, button(page, /^Retry/));
  await page
    .getByText(/Queued|Running/)
    .first()
    .waitFor();
  await press(page, button(page, 'Cancel job'));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Cancel this job' }));
  await page.getByText('Cancelled').first().waitFor();

  // Reading a diff.
  await stubChanges(page);
  await page.goto(`${first}?tab=details`);
  await openTab(page, 'Changes');
  await page.locator('.diff-rows').first().waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });

  // Filtering, and acting on many.
  await page.keyboard.press('u');
  await page.locator('[data-job]').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('sleep');
  await page.waitForURL(/search=sleep/);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await page.getByText('(1, 1 selected)').waitFor();
  await press(page, button(page, 'Retry jobs'));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Retry 1 job' }));
  await page.getByText('1 job accepted').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  // Settings.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('tokens');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/api-tokens');
  await press(page, button(page, 'Create token').first());
  await tabTo(page, page.getByRole('dialog').getByLabel('Name'));
  await page.keyboard.type('by keyboard');
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }));
  await press(page, button(page, 'I have saved it'));
  await page.getByText('by keyboard').first().waitFor();
  await context.close();
});
