import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService } from '../../local-service.ts';
import { callFromPage, launchBrowser, openAs } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'session-end-'));
  browser = await launchBrowser();
  service = await startService();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Ends the sessions of all operators. */
async function endSessions(): Promise<void> {
  const admin = await openAs(browser, service.consoleUrl, 'admin');
  const list = "fetch('/api/v1/sessions').then((response) => response.json())";
  const { items } = await admin.evaluate<{ items: { id: string; role: string }[] }>(list);
  const ends = items.filter(({ role }) => role === 'operator');
  expect(ends).toHaveLength(1);
  for (const { id } of ends) expect(await callFromPage(admin, 'DELETE', `/sessions/${id}`)).toBeLessThan(300);
  await admin.context().close();
}

test('the log of a running job continues after its last line when the user has signed in again', async () => {
  const go = join(folder, 'go');
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
