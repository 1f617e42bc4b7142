import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService } from '../local-service.ts';
import { launchBrowser, PAGE_TIMEOUT_MS } from './setup/browser.ts';
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

/** More tab stops than any page has. */
const MAX_STOPS = 150;

const hasFocus = async (page: Page, target: Locator) => (await target.and(page.locator(':focus')).count()) > 0;

/** Presses Tab until the target has the focus, and checks that the focus is visible. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let stops = 0; !(await hasFocus(page, target)); stops += 1) {
    if (stops === MAX_STOPS) throw new Error(`Tab does not reach ${target}`);
    await page.keyboard.press('Tab');
  }
  expect(await page.evaluate<boolean>(IS_FOCUS_SEEN)).toBe(true);
}

/** Whether the browser shows the focus: an outline, a shadow, or what the component library draws before the element. */
const IS_FOCUS_SEEN = `((element) => {
  if (!element.matches(':focus-visible')) return false;
  const drawn = (style) => (style.outlineStyle !== 'none' && style.outlineWidth !== '0px') || style.boxShadow !== 'none';
  const before = getComputedStyle(element, '::before');
  return drawn(getComputedStyle(element)) || drawn(before) || (before.content !== 'none' && before.borderTopWidth !== '0px');
})(document.activeElement)`;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const press = async (page: Page, target: Locator) => {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
};

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
  const changes = page.getByRole('tab', { name: 'Changes' });
  await tabTo(page, page.getByRole('tab', { selected: true }));
  for (let stops = 0; !(await hasFocus(page, changes)); stops += 1) {
    if (stops === 10) throw new Error('the arrow keys do not reach the changes');
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Enter');
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
