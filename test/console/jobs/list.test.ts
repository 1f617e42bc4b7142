import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService } from '../../local-service.ts';
import { launchBrowser, openAs } from '../setup/browser.ts';

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

test('an action reaches all jobs that match, not only those of the page', async () => {
  const drafts = Array.from({ length: 55 }, (_, at) => ({ prompt: `sweep ${at}`, profile: 'shell', draft: true }));
  for (const draft of drafts) expect((await service.api('POST', '/jobs', draft)).status).toBe(201);
  await service.api('POST', '/jobs', { prompt: 'leave me', profile: 'shell', draft: true });
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/jobs?status=DRAFT&search=sweep' });
  await page.locator('input[type=checkbox][aria-label^="Select all jobs"]:enabled').first().check({ force: true });
  await page.getByRole('button', { name: 'Select all 55 jobs that match' }).click();
  await page.getByText('(55, 55 selected)').waitFor();
  await page.getByRole('button', { name: 'Cancel jobs' }).click();
  const preview = page.getByRole('dialog');
  await preview.getByRole('button', { name: 'Cancel 55 jobs' }).click();
  await preview.getByText('55 jobs accepted').waitFor();
  await preview.getByRole('heading', { name: 'Cancel: done' }).waitFor();
  expect(await preview.getByText('Cancelled', { exact: true }).count()).toBeGreaterThanOrEqual(55);
  const { json } = await service.api('GET', '/jobs?status=DRAFT');
  expect(json.items).toEqual([expect.objectContaining({ prompt_preview: 'leave me' })]);
  await page.context().close();
});
