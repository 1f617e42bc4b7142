import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService } from '../local-service.ts';
import { axeViolations, loadAxe } from './scenes/axe.ts';
import { chooseRole, launchBrowser, openAs, PAGE_TIMEOUT_MS } from './setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
beforeAll(async () => {
  // Sequential, because each takes all cores for a while.
  browser = await launchBrowser();
  service = await startService();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

test('an unauthenticated user signs in and returns to the requested page', async () => {
  const context = await browser.newContext({ baseURL: service.consoleUrl });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  await page.goto('/jobs?status=FAILED');
  await chooseRole(page, 'operator');
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/jobs?status=FAILED');
  await page.getByRole('button', { name: 'operator@promptq.local' }).waitFor();
  await context.close();
});

test.each(['light', 'dark'] as const)(
  'the pages around the sign-in are accessible, in %s and on a narrow screen',
  async (colorScheme) => {
    const context = await browser.newContext({
      baseURL: service.consoleUrl,
      colorScheme,
      viewport: { width: 360, height: 640 },
    });
    context.setDefaultTimeout(PAGE_TIMEOUT_MS);
    const page = await context.newPage();
    const checked = async () => {
      await loadAxe(page);
      expect(await axeViolations(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    };
    await page.goto('/auth/sign-in');
    await checked();
    await chooseRole(page, 'stranger');
    await page.getByRole('heading', { name: 'You have no role here' }).waitFor();
    await checked();
    await context.close();
  },
);

test('signing out ends the session, shows the signed-out page, and drops unsent input', async () => {
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/jobs/new', session: 'own' });
  const prompt = page.getByLabel('Prompt', { exact: true });
  await prompt.fill('for no one else');
  await page.getByRole('button', { name: 'viewer@promptq.local' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'signed out' }).waitFor();
  expect((await page.goto('/api/v1/session'))?.status()).toBe(401);
  await page.goto('/auth/sign-in?return_to=%2Fjobs%2Fnew');
  await chooseRole(page, 'operator');
  await prompt.waitFor();
  expect(await prompt.inputValue()).toBe('');
});
