import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
/** Signed in as operator. Each test opens its own address in it. */
let page: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  page = await openAs(browser, service.consoleUrl, 'operator');
});

afterAll(async () => await stay(page));

async function create(fields: Record<string, unknown>): Promise<string> {
  const { status, json } = await service.api('POST', '/jobs', fields);
  expect(status).toBe(201);
  return json.id as string;
}

async function hasEnded(id: string): Promise<void> {
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/status?wait=20`)).json.terminal);
}

const tab = (name: string | RegExp) => page.getByRole('tab', { name });
const tabNames = async () => (await page.getByRole('tab').allTextContents()).map((name) => name.trim());

test("the selected tab stays when the job's state changes", async () => {
  const id = await create({ prompt: 'true', profile: 'shell', draft: true });
  await visit(page, `/jobs/${id}`);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await page.waitForURL(/tab=details/);
  await service.api('POST', `/jobs/${id}/submit`);
  await hasEnded(id);
  await tab('Log').waitFor();
  expect(await tab('Details').getAttribute('aria-selected')).toBe('true');
});

test('a script opens on its log, without the tabs of agents', async () => {
  const id = await create({ prompt: '#!/bin/bash\n# Check the links\necho one; exit 3', profile: 'shell' });
  await hasEnded(id);
  await visit(page, `/jobs/${id}`);
  await page.waitForURL(/tab=log/);
  await page.getByRole('heading', { level: 1, name: 'Check the links', exact: true }).waitFor();
  await page.locator('.job-log-bar').getByText('Complete', { exact: true }).waitFor();
  expect(await page.locator('.job-log-bar [class*=status-success]').count()).toBe(0);
  expect(await tabNames()).toEqual(['Log', 'Result', 'Details', 'Conversation', 'Attachments']);
  await tab('Details').click();
  await page.getByText(`promptq logs ${id}`).waitFor();
  await page.getByRole('button', { name: 'Copy as promptq: Retry' }).waitFor();
  await page.keyboard.press('2');
  await page.getByText('Run time').waitFor();
  expect(
    await page
      .getByRole('tabpanel')
      .getByText(/tokens|Final message|Cost/)
      .count(),
  ).toBe(0);
});

test('attachments are counted, and a draft has no tabs of a run', async () => {
  const id = await create({
    prompt: 'echo x > "$PROMPTQ_ATTACHMENTS/a"; echo y > "$PROMPTQ_ATTACHMENTS/b"',
    profile: 'shell',
  });
  await hasEnded(id);
  await visit(page, `/jobs/${id}`);
  await tab('Attachments (2)').waitFor();
  const draft = await create({ prompt: 'a draft', draft: true });
  await visit(page, `/jobs/${draft}`);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  expect(await tabNames()).toEqual(['Details']);
});

test('the history of a job shows how long it waited and ran, and its outcome', async () => {
  const id = await create({ prompt: 'exit 3', profile: 'shell' });
  await hasEnded(id);
  await visit(page, `/jobs/${id}?tab=details`);
  await page.getByText('Attempt 1 ended: Failed').waitFor();
  await page.getByText(/, waited \d+(\.\d+)? m?s/).waitFor();
  await page.getByText(/, after \d+(\.\d+)? m?s: .*Exit code 3/).waitFor();
});

test('a job that is cancelled while it waits keeps the outcome of its attempt', async () => {
  await service.api('POST', '/config/import', { profiles: [{ name: 'single', agent: 'shell', concurrency: 1 }] });
  const state = async (job: string) => (await service.api('GET', `/jobs/${job}`)).json;
  const gate = join(service.home, 'single-gate');
  const prompt = `until [ -e ${gate} ]; do sleep 0.05; done; exit 5`;
  const id = await create({ prompt, profile: 'single', retries: 100 });
  await waitFor(async () => (await state(id)).status === 'RUNNING');
  // Takes the profile's only slot once the first attempt has failed, so that the job waits until it is cancelled.
  const other = await create({ prompt: 'while :; do sleep 0.2; done', profile: 'single', priority: 10 });
  await waitFor(async () => (await state(other)).state_reason.code === 'profile_busy');
  await writeFile(gate, '');
  await waitFor(async () => (await state(other)).status === 'RUNNING');
  await waitFor(async () => (await state(id)).state_reason.code === 'profile_busy');
  await visit(page, `/jobs/${id}?tab=details`);
  await page.getByText('Attempt 1: Failed').waitFor();
  expect(await page.getByText('Attempt 1 started').count()).toBe(0);
  await service.api('POST', `/jobs/${id}/cancel`);
  await page.getByText('Cancelled by request.').first().waitFor();
  expect(await page.getByText('Attempt 1 ended: Cancelled').count()).toBe(0);
  await page.getByText('Attempt 1: Failed').waitFor();
  await service.api('POST', `/jobs/${other}/kill`);
});

test('rebuilding the record needs confirmation, its outcome is reported, and an unknown one forbids a second run', async () => {
  const id = await create({ prompt: 'true', profile: 'shell' });
  await hasEnded(id);
  await visit(page, `/jobs/${id}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: /^Rebuild record/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It skips a running attempt.').waitFor();
  await dialog.getByRole('button', { name: 'Rebuild record' }).click();
  await page.getByText('The record is correct').waitFor();

  await page.route('**/reread-logs', async (route) => await route.abort());
  const open = async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Rebuild record/ }).click();
  };
  await open();
  await dialog.getByRole('button', { name: 'Rebuild record' }).click();
  await page.getByText('It is unknown whether the record was rebuilt').waitFor();
  await open();
  await dialog.getByText('it may still be running').waitFor();
  expect(await dialog.getByRole('button', { name: 'Rebuild record' }).isDisabled()).toBe(true);
  await page.unroute('**/reread-logs');
});

test('the agent, the model that ran and the effective timeout are shown', async () => {
  const id = await create({ prompt: 'say hello', model: 'gpt-5-codex', timeout: 90 });
  await hasEnded(id);
  await visit(page, `/jobs/${id}?tab=details`);
  const value = (label: string) => page.locator('dt', { hasText: label }).locator('xpath=following-sibling::dd[1]');
  await value('Agent').getByText('codex').waitFor();
  await value('Model').getByText('gpt-5-codex').waitFor();
  await value('Timeout')
    .getByText(/^(1 min 30 s|1 h 30 min)$/)
    .waitFor();
});

test('a long title is truncated and does not move the buttons', async () => {
  const id = await create({ prompt: `true ${'# a very long title '.repeat(15)}`, profile: 'shell', draft: true });
  await visit(page, `/jobs/${id}`);
  const title = page.locator('.job-title');
  await title.waitFor();
  const { height, hidden } = await title.evaluate((element) => ({
    height: element.clientHeight,
    hidden: element.scrollHeight > element.clientHeight,
  }));
  expect(hidden).toBe(true);
  expect(height).toBeLessThan(70);
});
