import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../../local-service.ts';
import { chooseRole, launchBrowser, openAs, PATIENCE } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  // One after the other: each takes all cores for a while.
  browser = await launchBrowser();
  service = await startService();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function create(fields: Record<string, unknown>): Promise<string> {
  const { status, json } = await service.api('POST', '/jobs', fields);
  expect(status).toBe(201);
  return json.id as string;
}

/** @param page what it shows is told if the job does not get there. */
async function reached(id: string, status: string, page?: Page): Promise<void> {
  const read = async () => (await service.api('GET', `/jobs/${id}`)).json;
  await waitFor(async () => (await read()).status === status).catch(async (cause: unknown) => {
    const shown = (await page?.locator('body').innerText()) ?? '';
    throw new Error(`${status} was not reached: ${JSON.stringify(await read())}\n${shown}`, { cause });
  });
}

async function open(path: string, role: 'operator' | 'viewer' = 'operator'): Promise<Page> {
  return await openAs(browser, service.consoleUrl, role, { path });
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a job is created by the form, followed live, cancelled and retried', async () => {
  const page = await open('/jobs/new');
  await page.getByLabel('Prompt', { exact: true }).fill('echo up and running; while :; do sleep 0.2; done');
  await page.getByLabel('Retries').fill('101');
  await button(page, 'Queue job').click();
  await page.getByText('Enter at most 100.').waitFor();
  await page.getByLabel('Retries').fill('0');
  await page.getByRole('button', { name: 'Profile' }).click();
  await page.getByRole('option', { name: /^shell/ }).click();
  await button(page, 'Queue job').click();
  await page.waitForURL(/\/jobs\/job_/);
  const id = page.url().split('/').at(-1) ?? '';
  await reached(id, 'RUNNING');
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.locator('.job-log').getByText('up and running').first().waitFor();

  await button(page, 'Cancel job').click();
  // A local run is reached without a network, too.
  await page.evaluate("window.dispatchEvent(new Event('offline'))");
  await button(page, 'Cancel this job').click();
  await reached(id, 'CANCELLED', page);
  await button(page, 'Retry').click();
  await waitFor(async () => (await service.api('GET', `/jobs/${id}`)).json.attempt === 2);
  await page.getByText('Attempt 2', { exact: true }).first().waitFor();
  await service.api('POST', `/jobs/${id}/kill`);
  await page.context().close();
});

test('many jobs are cancelled after a preview that says which can be', async () => {
  const project = 'bulk';
  const drafts = [
    await create({ prompt: 'first', project, draft: true }),
    await create({ prompt: 'second', project, draft: true }),
  ];
  const ended = await create({ prompt: 'ended before', project, draft: true });
  await service.api('POST', `/jobs/${ended}/cancel`);
  const page = await open(`/jobs?project=${project}`);
  await page.getByRole('link', { name: 'ended before' }).waitFor();
  // The header that stays in sight lies over the table's own.
  await page.getByTitle('Select all jobs of this page').first().click();
  await button(page, 'Retry jobs').click();
  const preview = page.getByRole('dialog');
  await preview.getByText('This affects 1 of 3 jobs.').waitFor();
  const skipped = preview.getByRole('region', { name: 'Skipped' });
  expect(await skipped.getByText('It is a draft: queue it instead').count()).toBe(2);
  await preview.getByRole('button', { name: 'Cancel', exact: true }).click();

  await page.getByRole('checkbox', { name: 'Select ended before' }).uncheck();
  await button(page, 'Cancel jobs').click();
  await preview.getByRole('button', { name: 'Cancel 2 jobs', exact: true }).click();
  await preview.getByText('2 jobs accepted').waitFor();
  for (const id of drafts) await reached(id, 'CANCELLED');
  await page.context().close();
});

test('running jobs are killed together, and others are left alone', async () => {
  const project = 'kill';
  const running = await create({ prompt: 'trap "" TERM; while :; do sleep 0.2; done', profile: 'shell', project });
  await create({ prompt: 'only a draft', project, draft: true });
  await reached(running, 'RUNNING');
  const page = await open(`/jobs?project=${project}&status=RUNNING`);
  await page.getByRole('link', { name: /^trap/ }).waitFor();
  // What was chosen stays chosen when the filter changes.
  await page.getByRole('checkbox', { name: /^Select trap/ }).check();
  await page.getByRole('button', { name: /^Draft/ }).click();
  await page.getByRole('checkbox', { name: 'Select only a draft' }).check();
  await page.getByRole('heading', { name: '(1, 2 selected)' }).waitFor();
  await button(page, 'Kill jobs').click();
  const preview = page.getByRole('dialog');
  await preview.getByRole('region', { name: 'Skipped' }).getByText('It is not running: draft').waitFor();
  await preview.getByRole('button', { name: 'Kill 1 job' }).click();
  await preview.getByText('1 job accepted').waitFor();
  await reached(running, 'CANCELLED');
  expect((await service.api('GET', `/jobs/${running}`)).json.state_reason.code).toBe('killed_by_request');
  await preview.getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: /^All/ }).click();
  await page
    .getByRole('row', { name: /trap.*Cancelled/ })
    .or(page.getByRole('row', { name: /Cancelled.*trap/ }))
    .waitFor();
  await page.context().close();
});

test('the list goes on page by page, there and back, also after a reload', async () => {
  const project = 'pages';
  for (let made = 0; made < 51; made += 17) {
    const drafts = Array.from({ length: 17 }, (_, at) => create({ prompt: `job ${made + at}`, project, draft: true }));
    await Promise.all(drafts);
  }
  const page = await open(`/jobs?project=${project}`);
  await page.getByRole('heading', { name: 'Jobs (51)' }).waitFor();
  const rows = page.locator('[data-job]');
  await expect.poll(() => rows.count()).toBe(50);
  const first = await rows.first().textContent();
  await button(page, 'Older').click();
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('project')).toBe(project);
  await page.reload();
  await expect.poll(() => rows.count()).toBe(1);
  expect(await button(page, 'Older').isDisabled()).toBe(true);
  await button(page, 'Newer').click();
  await expect.poll(() => rows.count()).toBe(50);
  expect(await rows.first().textContent()).toBe(first);
  await page.context().close();
});

test('an edit shows what it changes before it is saved, and sends that only', async () => {
  // It waits for the vendor, so no worker takes it meanwhile.
  const id = await create({ prompt: 'drill: usage-limit\nkeep this\ndrop this', project: 'edits' });
  await waitFor(async () => (await service.api('GET', `/jobs/${id}`)).json.state_reason.code === 'usage_limit');
  const page = await open(`/jobs/${id}/edit`);
  await page.getByLabel('Prompt', { exact: true }).fill('drill: usage-limit\nkeep this\nput this');
  await page.getByLabel('Priority').fill('7');
  await service.api('PATCH', `/jobs/${id}`, { retries: 3 });
  await button(page, 'Review and save').click();
  const dialog = page.getByRole('dialog');
  expect((await dialog.locator('.line-diff-gone').allInnerTexts()).join('|')).toContain('drop this');
  expect((await dialog.locator('.line-diff-come').allInnerTexts()).join('|')).toContain('put this');
  expect(await dialog.locator('.line-diff-same').allInnerTexts()).toEqual([
    expect.stringContaining('drill: usage-limit'),
    expect.stringContaining('keep this'),
  ]);
  await button(page, 'Save').click();
  await page.waitForURL(new RegExp(`/jobs/${id}$`));
  const { json } = await service.api('GET', `/jobs/${id}`);
  expect(json).toMatchObject({ prompt: 'drill: usage-limit\nkeep this\nput this', priority: 7, retries: 3 });
  await service.api('POST', `/jobs/${id}/cancel`);
  await page.context().close();
});

test('a pause in the middle of what is searched for takes nothing of it away', async () => {
  await create({ prompt: 'two words in one', project: 'pauses', draft: true });
  const page = await open('/jobs?project=pauses');
  const search = page.getByRole('searchbox', { name: 'Search jobs' });
  await search.pressSequentially('two ');
  await page.waitForURL(/search=two$/);
  await search.pressSequentially('words');
  await page.waitForURL(/search=two(\+|%20)words$/);
  expect(await search.inputValue()).toBe('two words');
  await page.getByRole('link', { name: 'two words in one' }).waitFor();
  await page.context().close();
});

test('filters stand in the address, survive a reload, and can be kept by name', async () => {
  await create({ prompt: 'needle in here', project: 'filters', draft: true });
  await create({ prompt: 'only hay', project: 'filters', draft: true });
  const page = await open('/jobs?project=filters');
  await page.getByRole('link', { name: 'only hay' }).waitFor();
  // The key for the search, then the search itself.
  await page.locator('body').press('/');
  await page.keyboard.type('needle');
  await page.waitForURL(/search=needle/);
  await page.getByRole('link', { name: 'only hay' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Draft/ }).click();
  await page.waitForURL(/status=DRAFT/);
  await page.reload();
  await page.getByRole('link', { name: 'needle in here' }).waitFor();
  expect(await page.getByRole('searchbox', { name: 'Search jobs' }).inputValue()).toBe('needle');
  expect(await page.getByRole('button', { name: /^Draft/ }).getAttribute('aria-pressed')).toBe('true');

  await button(page, 'Saved filters').click();
  await page.getByRole('menuitem', { name: 'Save these filters…' }).click();
  await page.getByLabel('Name').fill('Needles');
  await button(page, 'Save').click();
  await button(page, 'Saved filters').click();
  await page.getByRole('menuitem', { name: 'Clear all filters' }).click();
  await page.waitForURL(/\/jobs$/);
  await button(page, 'Saved filters').click();
  await page.getByRole('menuitem', { name: /^Needles State: Draft/ }).click();
  await page.waitForURL(/search=needle/);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    project: 'filters',
    search: 'needle',
    status: 'DRAFT',
  });
  await page.context().close();
});

test('the keys of the list move, choose and open', async () => {
  await create({ prompt: 'older', project: 'keys', draft: true });
  const id = await create({ prompt: 'newer', project: 'keys', draft: true });
  const page = await open('/jobs?project=keys');
  await page.getByRole('link', { name: 'older' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Select or deselect the job').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (const key of ['j', 'j', 'x', 'k']) await page.keyboard.press(key);
  expect(await page.getByRole('checkbox', { name: 'Select older' }).isChecked()).toBe(true);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/jobs/${id}$`));
  await page.context().close();
});

test('the events of an agent are shown as what they say', async () => {
  const id = await create({ prompt: 'drill: tool echo from the command; exit 3' });
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/status`)).json.terminal, { timeoutMs: 90_000 });
  const page = await open(`/jobs/${id}?tab=events`);
  const events = page.getByRole('list', { name: 'Events' });
  await events.getByText('exit 3', { exact: true }).waitFor();
  await events.locator('pre').getByText('from the command', { exact: true }).waitFor();
  await events.getByText('Input:').waitFor();
  expect(await events.getByText('"type"').count()).toBe(0);
  await page.context().close();
});

test('a deep link leads to its job after the sign-in, and a viewer can only look', async () => {
  const id = await create({ prompt: 'look at me', draft: true });
  const context = await browser.newContext({ baseURL: service.consoleUrl });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  await page.goto(`/jobs/${id}?tab=details`);
  await chooseRole(page, 'viewer');
  await page.getByRole('heading', { name: 'look at me' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/jobs/${id}`);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  expect(await button(page, 'Queue job').count()).toBe(0);
  expect(await button(page, 'Cancel job').count()).toBe(0);
  await page.context().close();
});
