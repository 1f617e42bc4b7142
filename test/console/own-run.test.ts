import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { launchBrowser, openAs, stay, visit } from './setup/browser.ts';
import { emptyLists } from './setup/stubs.ts';

/** It begins empty, enforces no scopes, and a test ends its viewers' sessions: not for a shared one. */
let service: OwnService;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  // As in the cloud, where containers have no user namespaces.
  service = await startService({ env: { PROMPTQ_SANDBOXES: 'none' } });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

test('an example fills in the form, and earlier unsent input stays', async () => {
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/jobs/new' });
  const prompt = page.getByLabel('Prompt', { exact: true });
  await prompt.fill('half a thought');
  await visit(page, '/jobs');
  await heading(page, 'No jobs yet').waitFor();
  for (const name of ['Cancel jobs', 'Retry jobs', 'Kill jobs']) expect(await button(page, name).count()).toBe(0);
  await link(page, 'Run a script').click();
  await page.getByRole('button', { name: /^Profile shell/ }).waitFor();
  expect(await prompt.inputValue()).toContain('uname -a');
  await visit(page, '/jobs/new');
  await prompt.waitFor();
  expect(await prompt.inputValue()).toBe('half a thought');
  await stay(page);
});

test('a viewer is not asked to create anything', async () => {
  const page = await openAs(browser, service.consoleUrl, 'viewer');
  await heading(page, 'No jobs yet').waitFor();
  await page.getByText('ask an administrator').waitFor();
  expect(await link(page, 'Run a script').count()).toBe(0);
  expect(await page.getByText('curl').count()).toBe(0);
  await emptyLists(page);
  await visit(page, '/projects');
  await page.getByText('No projects yet').waitFor();
  expect(await link(page, 'New job').count()).toBe(0);
  await stay(page);
});

test('the token pages warn if scopes are not enforced', async () => {
  const admin = await openAs(browser, service.consoleUrl, 'admin', { path: '/api-tokens' });
  await admin.getByText('Scopes are not enforced here: every token has full access.').waitFor();
  await admin.getByRole('button', { name: 'Create token' }).click();
  const dialog = admin.getByRole('dialog');
  const note = dialog.getByText('Scopes are not enforced here: this token has full access.');
  await note.waitFor();
  await dialog.getByLabel('Name').fill('unlimited');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await dialog.getByTestId('token').waitFor();
  await note.waitFor();
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await stay(admin);
});

test('the shown command creates a job, and a job without attachments explains how to keep files', async () => {
  const page = await openAs(browser, service.consoleUrl, 'operator');
  const command = await page.locator('pre', { hasText: 'curl' }).innerText();
  const env = { ...process.env, PROMPTQ_TOKEN: service.token };
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env });
  const { json } = await service.api('GET', `/jobs/${JSON.parse(stdout).id}`);
  expect(json.prompt).toBe('Say hello');
  await waitFor(async () => (await service.api('GET', `/jobs/${json.id}/status?wait=25`)).json.status === 'SUCCEEDED');
  await visit(page, `/jobs/${json.id}?tab=attachments`);
  await page.getByText('No files').waitFor();
  await page.getByText('$PROMPTQ_ATTACHMENTS').waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByLabel('Search the timeline', { exact: true }).fill('there is no such word');
  await button(page, 'Clear all filters').click();
  await page.getByText('No matching events').waitFor({ state: 'detached' });
  await stay(page);
});
