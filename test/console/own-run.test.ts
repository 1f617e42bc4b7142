import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { components } from '../../lib/client/api-types.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { callFromPage, launchBrowser, openAs, stay, visit } from './setup/browser.ts';
import { emptyLists, serviceResponse } from './setup/stubs.ts';

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

/** A frame passes before a change is shown, as on a busy machine. Runs in the page. */
const EARLY_FRAMES = `{
  const { requestAnimationFrame } = window;
  let isWithin = false;
  window.requestAnimationFrame = (act) => {
    const run = (time) => {
      isWithin = true;
      act(time);
      isWithin = false;
    };
    if (isWithin) return requestAnimationFrame(run);
    queueMicrotask(() => run(performance.now()));
    return 0;
  };
}`;

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
/** Makes every list empty and opens one. */
const openEmpty = async (role: 'viewer' | 'operator' | 'admin', path: string) => {
  return await openAs(browser, service.consoleUrl, role, { path, before: emptyLists });
};

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

test('an admin sees how to link an account, unless the default profile needs none', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin');
  await link(page, 'API tokens').nth(1).waitFor();
  expect(await link(page, 'Link your account').count()).toBe(0);
  await page.route('**/api/v1/profiles', async (route) => {
    const list = await serviceResponse<components['schemas']['ProfileList']>(route);
    await route.fulfill({ json: { ...list, items: list.items.map((item) => ({ ...item, vendor: 'own' })) } });
  });
  await page.reload();
  await link(page, 'Link your account').click();
  await page.waitForURL('**/account');
  await stay(page);
});

test('filters without matches are cleared by one click', async () => {
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/jobs?status=FAILED&search=nothing' });
  await page.getByText('No matching jobs').waitFor();
  await page.locator('#main table').getByRole('button', { name: 'Clear all filters' }).click();
  await page.waitForURL((url) => url.search === '');
  await visit(page, '/audit?actor=nobody');
  await page.getByText('No matching entries').waitFor();
  await button(page, 'Clear all filters').click();
  await page.waitForURL((url) => url.search === '');
  await page.getByText('No matching entries').waitFor({ state: 'detached' });
  await stay(page);
});

test('every empty list offers a next step', async () => {
  const operator = await openEmpty('operator', '/projects');
  await link(operator, 'New job').click();
  await operator.waitForURL('**/jobs/new');
  await visit(operator, '/bindings');
  await operator.locator('#main table').getByRole('button', { name: 'Create binding' }).click();
  await operator.getByRole('dialog').waitFor();
  await stay(operator);
  const admin = await openEmpty('admin', '/rules');
  await link(admin, 'Create rule').click();
  await admin.waitForURL('**/rules/new');
  await visit(admin, '/api-tokens');
  await admin.locator('#main table').getByRole('button', { name: 'Create token' }).click();
  await admin.getByRole('dialog').waitFor();
  await stay(admin);
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

test("the service's errors about a profile are shown at their fields", async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/profiles/new' });
  await page.getByLabel('Name', { exact: true }).fill('boxed');
  await page.getByRole('radio', { name: 'read-only' }).check();
  await page.evaluate(EARLY_FRAMES);
  await button(page, 'Review').click();
  await page.getByText('need user namespaces').first().waitFor();
  await page.getByRole('radio', { name: 'read-only' }).and(page.locator(':focus')).waitFor();
  expect(await page.getByText('profiles[0]').count()).toBe(0);
  await page.getByRole('radio', { name: 'none', exact: true }).check();
  await button(page, 'Review').click();
  await button(page, 'Back to editing').click();
  await button(page, 'Discard').click();
  await page.context().close();
});

test('an ended session is rejected, and a user without a role sees a notice', async () => {
  const viewer = await openAs(browser, service.consoleUrl, 'viewer', { session: 'own' });
  const admin = await openAs(browser, service.consoleUrl, 'admin', { path: '/sessions' });
  const ends = admin.getByRole('button', { name: 'End the session of viewer@promptq.local' });
  await ends.first().waitFor();
  for (let left = await ends.count(); left > 0; left = await ends.count()) {
    await ends.first().click();
    await admin.getByRole('button', { name: 'End session', exact: true }).click();
    await expect.poll(() => ends.count()).toBeLessThan(left);
  }
  expect(await callFromPage(viewer, 'GET', '/session')).toBe(401);
  const stranger = await openAs(browser, service.consoleUrl, 'stranger');
  await stranger.getByText('You have no role here').waitFor();
  for (const page of [viewer, stranger]) await page.context().close();
  await stay(admin);
});
