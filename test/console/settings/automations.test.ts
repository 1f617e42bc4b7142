import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
let operator: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  operator = await openAs(browser, service.consoleUrl, 'operator');
});
afterAll(async () => await stay(operator));

test('a nightly job is made with its next runs in sight, run, looked at, disabled and deleted', async () => {
  await visit(operator, '/automations?new=1');
  const dialog = operator.getByRole('dialog', { name: 'New automation' });
  await dialog.getByLabel('Name', { exact: true }).fill('Nightly by hand');
  await dialog.getByLabel('Prompt').fill('true');
  await dialog.getByLabel('Profile').fill('shell');
  await dialog.getByLabel('Time zone').fill('Europe/Nowhere');
  await dialog.getByText('expected UTC or an IANA time zone').waitFor();
  await dialog.getByLabel('Time zone').fill('Asia/Tokyo');
  await dialog.getByRole('columnheader', { name: 'Asia/Tokyo' }).waitFor();
  expect(await dialog.getByRole('cell', { name: /03:00 \+09:00$/ }).count()).toBe(5);
  await dialog.getByRole('button', { name: 'Create automation' }).click();
  const row = operator.getByRole('row').filter({ hasText: 'Nightly by hand' });
  await row.getByText('0 3 * * * Asia/Tokyo').waitFor();
  await row.getByRole('button', { name: 'Run now: Nightly by hand' }).click();
  await row.getByText('Succeeded').waitFor({ timeout: 60_000 });
  await row.getByRole('link', { name: 'Nightly by hand' }).click();
  const runs = operator.getByRole('dialog', { name: 'Nightly by hand' });
  await runs.getByText('Run by hand').waitFor();
  expect(await runs.getByRole('link', { name: 'Open job' }).getAttribute('href')).toMatch(/^\/jobs\/job_/);
  await runs.getByRole('button', { name: 'Close' }).click();
  await row.getByRole('button', { name: 'Disable Nightly by hand' }).click();
  await row.getByText('Disabled').waitFor();
  await row.getByRole('button', { name: 'Delete Nightly by hand' }).click();
  await operator.getByRole('button', { name: 'Delete automation' }).click();
  await row.waitFor({ state: 'detached' });
});
