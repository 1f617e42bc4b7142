import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../../api/job-client.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conversation-'));
  browser = await sharedBrowser();
  service = await sharedService();
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const create = async (fields: Record<string, unknown>) => await createJob(service, fields);

// biome-ignore lint/suspicious/noExplicitAny: tests read responses freely
const jobOf = async (id: string): Promise<any> => (await service.api('GET', `/jobs/${id}`)).json;
const reached = async (id: string, code: string) =>
  await waitFor(async () => (await jobOf(id)).state_reason.code === code, { timeoutMs: 90_000 });
const open = async (path: string, role: 'operator' | 'viewer' = 'operator'): Promise<Page> =>
  await openAs(browser, service.consoleUrl, role, { path });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const turnsOf = (page: Page) => page.getByRole('list', { name: 'Turns' }).locator('.turn');

test('a job is continued on its page, and the turns are listed with their answers and as a filter', async () => {
  const first = await create({ prompt: 'remember the blue door', project: 'talk' });
  await create({ prompt: 'of the kingfisher', project: 'talk', draft: true });
  await waitFor(async () => (await jobOf(first)).status === 'SUCCEEDED', { timeoutMs: 90_000 });
  const page = await open(`/jobs/${first}`);
  await button(page, 'Continue').click();
  const prompt = page.getByLabel('Continue', { exact: true }).and(page.locator('textarea'));
  await prompt.and(page.locator(':focus')).waitFor();
  await button(page, 'Continue').last().click();
  await page.getByText('Enter a value.').first().waitFor();
  await prompt.fill('drill: recall');
  await prompt.press('Control+Enter');
  await page.waitForURL((url) => url.pathname.startsWith('/jobs/job_') && !url.pathname.includes(first));
  const second = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await waitFor(async () => (await jobOf(second)).status === 'SUCCEEDED', { timeoutMs: 90_000 });
  expect(await jobOf(second)).toMatchObject({ prompt: 'drill: recall', continues: first, thread_id: first, turn: 2 });

  await page.getByRole('tab', { name: 'Conversation (2)' }).click();
  // The practice agent answers with the prompts of its session.
  await turnsOf(page).nth(1).locator('.markdown').getByText('remember the blue door').first().waitFor();
  expect(await turnsOf(page).count()).toBe(2);
  expect(await page.locator('.turn[aria-current]').innerText()).toContain('Turn 2');

  await page.getByRole('link', { name: 'Show the turns in the list of jobs' }).click();
  const names = () => page.locator('[data-job]').allInnerTexts();
  await expect.poll(names).toEqual(['drill: recall', 'remember the blue door']);
  const chips = page.getByRole('list', { name: 'Active filters' });
  await chips.getByText(`Thread: ${first}`).waitFor();
  // The API rejects a search within a thread.
  await page.getByLabel('Search jobs', { exact: true }).fill('kingfisher');
  await expect.poll(() => new URL(page.url()).search).toBe('?search=kingfisher');
  await expect.poll(names).toEqual(['of the kingfisher']);
  await stay(page);
});

test('an unsent prompt survives a change of tabs and a reload', async () => {
  const id = await create({ prompt: 'true', profile: 'shell', project: 'talk' });
  await waitFor(async () => (await jobOf(id)).status === 'SUCCEEDED', { timeoutMs: 90_000 });
  const page = await open(`/jobs/${id}?tab=conversation`);
  const prompt = page.getByLabel('Continue', { exact: true }).and(page.locator('textarea'));
  await turnsOf(page).first().waitFor();
  expect(await page.getByRole('link', { name: 'Show the turns in the list of jobs' }).count()).toBe(0);
  await prompt.fill('say more');
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByText(id, { exact: true }).first().waitFor();
  await page.getByRole('tab', { name: 'Conversation' }).click();
  expect(await prompt.inputValue()).toBe('say more');
  await page.reload();
  await prompt.waitFor();
  expect(await prompt.inputValue()).toBe('say more');
  const other = await create({ prompt: 'exit 0', profile: 'shell' });
  await visit(page, `/jobs/${other}?tab=conversation`);
  await prompt.waitFor();
  expect(await prompt.inputValue()).toBe('');
  await stay(page);
});

test("a waiting turn names the job before it, and can be started after that job's failure", async () => {
  const go = join(folder, 'go');
  const first = await create({ prompt: `until [ -e ${go} ]; do sleep 0.1; done; exit 3`, profile: 'shell' });
  const second = await create({ prompt: 'echo second', continue: first });
  await reached(second, 'waiting_for_thread');
  expect(existsSync(go)).toBe(false);
  const page = await open(`/jobs/${second}?tab=conversation`);
  await turnsOf(page).nth(1).getByRole('link', { name: first }).waitFor();
  await page.getByText('Continue creates turn 3 in the same folder. It starts when turn 2 succeeds.').waitFor();
  expect(await button(page, 'Start anyway').count()).toBe(0);
  const viewer = await open(`/jobs/${first}?tab=conversation`, 'viewer');
  await turnsOf(viewer).nth(1).waitFor();
  expect(await button(viewer, 'Continue').count()).toBe(0);
  await stay(viewer);
  await writeFile(go, '');
  await reached(second, 'thread_stopped');
  await button(page, 'Start anyway').click();
  await waitFor(async () => (await jobOf(second)).status === 'SUCCEEDED');
  await stay(page);
});

test('a turn starts also after a failure of the turn before, if the user chooses that', async () => {
  const go = join(folder, 'go-on');
  const first = await create({ prompt: `until [ -e ${go} ]; do sleep 0.1; done; exit 3`, profile: 'shell' });
  const page = await open(`/jobs/${first}?tab=conversation`);
  await page.getByLabel('Continue', { exact: true }).and(page.locator('textarea')).fill('echo whatever happened');
  await page.getByLabel('Start even if turn 1 fails or is cancelled').check();
  await page.getByText('It starts when turn 1 ends.').waitFor();
  await button(page, 'Continue').click();
  await page.waitForURL((url) => url.pathname.startsWith('/jobs/job_') && !url.pathname.includes(first));
  const second = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await writeFile(go, '');
  await waitFor(async () => (await jobOf(second)).status === 'SUCCEEDED');
  expect(await jobOf(first)).toMatchObject({ status: 'FAILED' });
  await stay(page);
});
