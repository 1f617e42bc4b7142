import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from './setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  // Before a page has read the projects.
  await service.api('POST', '/jobs', { prompt: 'x', profile: 'shell', project: 'storefront', draft: true });
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const hasFocus = async (page: Page, label: string) =>
  await page.getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor();

test('errors are shown at their fields, and the first invalid field gets the focus', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/jobs/new' });
  const wide = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByLabel('Priority').fill('abc');
  await button(page, 'Queue job').click();
  await page.getByText('Enter a number.').waitFor();
  await hasFocus(page, 'Prompt');
  // Typing fixes one error and does not move the focus.
  await page.keyboard.type('work');
  expect(await page.getByLabel('Prompt', { exact: true }).inputValue()).toBe('work');
  await button(page, 'Queue job').click();
  await hasFocus(page, 'Priority');
  expect(await page.getByText('received').count()).toBe(0);
  if (wide) await page.setViewportSize(wide);
  await stay(page);
});

test("the service's errors about a binding are shown at their fields", async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/bindings' });
  await page.getByText('Loading the bindings').waitFor({ state: 'detached' });
  await button(page, 'Create binding').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('ftp://example.com');
  await button(page, 'Create').click();
  const field = dialog.locator('[aria-invalid=true]');
  await field.waitFor();
  expect(await field.inputValue()).toBe('ftp://example.com');
  expect(await dialog.getByText('body.target_url').count()).toBe(0);
  await stay(page);
});

test('a draft is edited in the form, including its project, and a copy links to its original', async () => {
  const { json } = await service.api('POST', '/jobs', { prompt: 'first thought', profile: 'shell', draft: true });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: `/jobs/${json.id}` });
  await button(page, 'Edit').click();
  const prompt = page.getByLabel('Prompt', { exact: true });
  await prompt.fill('second thought');
  // Another user edits another field meanwhile, which the save must leave as it is.
  await service.api('PATCH', `/jobs/${json.id}/draft`, { extra_prompt: 'theirs' });
  await page.reload();
  await expect.poll(async () => await prompt.inputValue()).toBe('second thought');
  await page.getByLabel('Project').fill('drafts');
  await page.getByLabel('Title').fill('Thought over');
  await page.getByLabel('Tags').fill('night, slow');
  await button(page, 'Review and save').click();
  await button(page, 'Save').click();
  await page.getByRole('heading', { name: 'Thought over' }).waitFor();
  const { json: job } = await service.api('GET', `/jobs/${json.id}`);
  const edited = {
    prompt: 'second thought',
    extra_prompt: 'theirs',
    project: 'drafts',
    title: 'Thought over',
    tags: ['night', 'slow'],
  };
  expect(job).toMatchObject({ status: 'DRAFT', ...edited });
  await button(page, 'Edit').click();
  await page.getByLabel('Title').fill('Thought about');
  await button(page, 'Discard changes').click();
  await button(page, 'Edit').click();
  expect(await page.getByLabel('Title').inputValue()).toBe('Thought over');
  await page.getByLabel('Title').fill('');
  await button(page, 'Review and save').click();
  await button(page, 'Save').click();
  await page.getByRole('heading', { name: 'second thought' }).waitFor();
  expect((await service.api('GET', `/jobs/${json.id}`)).json.title).toBeNull();
  await button(page, 'Run again with changes').click();
  await button(page, 'Save as draft').click();
  await page.waitForURL((url) => /\/jobs\/job_/.test(url.pathname) && !url.pathname.includes(json.id));
  await visit(page, `${new URL(page.url()).pathname}?tab=details`);
  await page.getByRole('link', { name: json.id }).click();
  await page.waitForURL(new RegExp(json.id));
  await stay(page);
});

test('an unsent job outlives a reload, a copy of another job and a cleared form', async () => {
  const rule = { id: 'house-style', name: 'House style', text: 'Be brief.' };
  expect((await service.api('POST', '/config/import', { rules: [rule] })).status).toBe(200);
  const { json: copied } = await service.api('POST', '/jobs', { prompt: 'the copy', profile: 'shell', draft: true });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/jobs/new' });
  const prompt = page.getByLabel('Prompt', { exact: true });
  await prompt.fill('a job with rules');
  await page.evaluate(
    "const key = 'promptq.new-job'; sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)), rule_ids: ['house-style'] }))",
  );
  await page.reload();
  await page.getByText('House style').first().waitFor();
  await visit(page, `/jobs/new?from=${copied.id}`);
  await expect.poll(async () => await prompt.inputValue()).toBe('the copy');
  await page.getByRole('heading', { name: 'New job' }).click();
  await page.keyboard.press('n');
  await page.waitForURL((url) => url.pathname === '/jobs/new' && url.search === '');
  await expect.poll(async () => await prompt.inputValue()).toBe('a job with rules');
  await page.getByText('House style').first().waitFor();
  await button(page, 'Clear the form').click();
  expect(await prompt.inputValue()).toBe('');
  await button(page, 'Undo').click();
  expect(await prompt.inputValue()).toBe('a job with rules');
  await stay(page);
});

test('a form that is sent twice creates one token', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/api-tokens' });
  const release = Promise.withResolvers<void>();
  await page.route(/\/api\/v1\/tokens$/, async (route) => {
    if (route.request().method() === 'POST') await release.promise;
    await route.continue();
  });
  await button(page, 'Create token').click();
  await page.getByLabel('Name').fill('twice');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  release.resolve();
  await page.getByTestId('token').waitFor();
  await button(page, 'I have saved it').click();
  await page.reload();
  await page.getByRole('cell', { name: 'twice' }).first().waitFor();
  expect(await page.getByRole('cell', { name: 'twice' }).count()).toBe(1);
  await stay(page);
});

test('running a successful job again needs confirmation, because it costs again', async () => {
  const { json } = await service.api('POST', '/jobs', { prompt: 'true', profile: 'shell' });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: `/jobs/${json.id}` });
  await page.getByText('Succeeded').first().waitFor();
  await button(page, 'Retry').click();
  await page.getByRole('dialog').getByText('costs tokens again').waitFor();
  await button(page, 'Keep the result').click();
  const { json: job } = await service.api('GET', `/jobs/${json.id}`);
  expect(job).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  await stay(page);
});

test('the link back from a job opens the list with its filters', async () => {
  await service.api('POST', '/jobs', { prompt: 'find me', profile: 'shell', draft: true });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/jobs?status=DRAFT&search=find' });
  await page.getByRole('link', { name: 'find me' }).click();
  await page.waitForURL(/\/jobs\/job_/);
  await page.getByRole('heading', { name: 'find me' }).waitFor();
  await page.keyboard.press('u');
  await page.waitForURL(/status=DRAFT&search=find/);
  await page.getByRole('link', { name: 'find me' }).click();
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Jobs' }).click();
  await page.waitForURL(/status=DRAFT&search=find/);
  await stay(page);
});
