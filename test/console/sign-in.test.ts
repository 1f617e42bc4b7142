import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService } from '../local-service.ts';
import { axeViolations, loadAxe } from './scenes/axe.ts';
import { callFromPage, chooseRole, launchBrowser, leave, openAs, PAGE_TIMEOUT_MS } from './setup/browser.ts';

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

test('the pages around the sign-in are accessible, light and dark, on a narrow screen', async () => {
  const context = await browser.newContext({ baseURL: service.consoleUrl, viewport: { width: 360, height: 640 } });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  const checked = async () => {
    await loadAxe(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page)).toEqual([]);
    }
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  };
  await page.goto('/auth/sign-in');
  await checked();
  await chooseRole(page, 'stranger');
  await page.getByRole('heading', { name: 'You have no role here' }).waitFor();
  await checked();
  await context.close();
});

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

/** Ends the sessions of all operators. */
async function endSessions(): Promise<void> {
  const admin = await openAs(browser, service.consoleUrl, 'admin');
  const list = "fetch('/api/v1/sessions').then((response) => response.json())";
  const { items } = await admin.evaluate<{ items: { id: string; role: string }[] }>(list);
  const ends = items.filter(({ role }) => role === 'operator');
  expect(ends.length).toBeGreaterThan(0);
  for (const { id } of ends) expect(await callFromPage(admin, 'DELETE', `/sessions/${id}`)).toBeLessThan(300);
  await leave(admin);
}

test('the log of a running job continues after its last line when the user has signed in again', async () => {
  const go = join(service.home, 'go');
  const prompt = `echo first; until [ -e ${go} ]; do sleep 0.1; done; echo second`;
  const { json } = await service.api('POST', '/jobs', { prompt, profile: 'shell' });
  const path = `/jobs/${json.id}?tab=log`;
  const page = await openAs(browser, service.consoleUrl, 'operator', { path, session: 'own' });
  const lines = page.locator('.job-log').getByRole('listitem');
  await lines.getByText('first', { exact: true }).waitFor();
  const from: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/logs?follow=1')) from.push(request.headers()['last-event-id']);
  });
  await endSessions();
  const dialog = page.getByRole('dialog').getByText('Your session has ended');
  await dialog.waitFor();
  await page.getByRole('tabpanel').getByText('Your session has ended. Sign in again.').waitFor();
  const asked = from.length;
  const other = await page.context().newPage();
  await other.goto('/auth/sign-in?return_to=%2Fsigned-in');
  await other.locator('button[name=role][value=operator]').click();
  await dialog.waitFor({ state: 'detached' });
  await writeFile(go, '');
  await lines.getByText('second', { exact: true }).waitFor();
  expect(await lines.getByText('first', { exact: true }).count()).toBe(1);
  await page.getByRole('tabpanel').getByText('Complete', { exact: true }).waitFor();
  expect(from.slice(asked)).not.toContain(undefined);
  await page.context().close();
});
