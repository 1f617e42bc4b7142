import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { amount } from '../../vitest/amount.ts';
import { openAs, sharedBrowser, stay } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  // Sequential, because each takes all cores for a while.
  browser = await sharedBrowser();
  service = await sharedService();
});

async function create(fields: Record<string, unknown>): Promise<string> {
  const { status, json } = await service.api('POST', '/jobs', fields);
  expect(status).toBe(201);
  return json.id as string;
}

async function reached(id: string, status: string): Promise<void> {
  await waitFor(async () => (await service.api('GET', `/jobs/${id}`)).json.status === status);
}

async function open(path: string): Promise<Page> {
  return await openAs(browser, service.consoleUrl, 'operator', { path });
}

/** Jobs of a page of the list. */
const PAGE_SIZE = amount(5, 50);

/** Opens the list with pages of that size instead of 50. */
async function openPaged(path: string): Promise<Page> {
  const before = async (page: Page) =>
    await page.route(/\/api\/v1\/jobs\?.*limit=50\b/, async (route) => {
      await route.continue({ url: route.request().url().replace('limit=50', `limit=${PAGE_SIZE}`) });
    });
  return await openAs(browser, service.consoleUrl, 'operator', { path, before });
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('jobs are cancelled together after a preview of which can be', async () => {
  const project = 'bulk';
  const drafts = [
    await create({ prompt: 'first', project, draft: true }),
    await create({ prompt: 'second', project, draft: true }),
  ];
  const ended = await create({ prompt: 'ended before', project, draft: true });
  await service.api('POST', `/jobs/${ended}/cancel`);
  const page = await open(`/jobs?project=${project}`);
  await page.getByRole('link', { name: 'ended before' }).waitFor();
  // The sticky header covers the table's header.
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
  await stay(page);
});

test('running jobs are killed together, and others are skipped', async () => {
  const project = 'kill';
  const running = await create({ prompt: 'trap "" TERM; while :; do sleep 0.2; done', profile: 'shell', project });
  await create({ prompt: 'only a draft', project, draft: true });
  await reached(running, 'RUNNING');
  const page = await open(`/jobs?project=${project}&status=RUNNING`);
  await page.getByRole('link', { name: /^trap/ }).waitFor();
  // The selection survives a change of filters.
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
  await stay(page);
});

test('the list is paged forwards and backwards, even after a reload', async () => {
  const project = 'pages';
  for (let made = 0; made <= PAGE_SIZE; made += 1) await create({ prompt: `job ${made}`, project, draft: true });
  const page = await openPaged(`/jobs?project=${project}`);
  await page.getByRole('heading', { name: `Jobs (${PAGE_SIZE + 1})` }).waitFor();
  const rows = page.locator('[data-job]');
  await expect.poll(() => rows.count()).toBe(PAGE_SIZE);
  const first = await rows.first().textContent();
  await button(page, 'Older').click();
  await expect.poll(() => rows.count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('project')).toBe(project);
  await page.reload();
  await expect.poll(() => rows.count()).toBe(1);
  expect(await button(page, 'Older').isDisabled()).toBe(true);
  await button(page, 'Newer').click();
  await expect.poll(() => rows.count()).toBe(PAGE_SIZE);
  expect(await rows.first().textContent()).toBe(first);
  await stay(page);
});

test('a pause while typing a search loses no input', async () => {
  await create({ prompt: 'two words in one', project: 'pauses', draft: true });
  const page = await open('/jobs?project=pauses');
  const search = page.getByRole('searchbox', { name: 'Search jobs' });
  await search.pressSequentially('two ');
  await page.waitForURL(/search=two$/);
  await search.pressSequentially('words');
  await page.waitForURL(/search=two(\+|%20)words$/);
  expect(await search.inputValue()).toBe('two words');
  await page.getByRole('link', { name: 'two words in one' }).waitFor();
  await stay(page);
});

test('filters are stored in the address, survive a reload, and can be saved by name', async () => {
  await create({ prompt: 'needle in here', project: 'filters', draft: true });
  await create({ prompt: 'only hay', project: 'filters', draft: true });
  const page = await open('/jobs?project=filters');
  await page.getByRole('link', { name: 'only hay' }).waitFor();
  // The shortcut of the search, then the query.
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
  await stay(page);
});

test('the keys of the list move, select and open', async () => {
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
  await stay(page);
});

test('a bulk action can apply to all matching jobs, not only to the page', async () => {
  const project = 'cleanup';
  const all = PAGE_SIZE + 5;
  const drafts = Array.from({ length: all }, (_, at) => ({
    prompt: `sweep ${at}`,
    project,
    profile: 'shell',
    draft: true,
  }));
  const ids: string[] = [];
  for (const draft of drafts) ids.push(await create(draft));
  await service.api('POST', '/jobs', { prompt: 'leave me', project, profile: 'shell', draft: true });
  const page = await openPaged('/jobs?status=DRAFT&search=sweep');
  await page.locator('input[type=checkbox][aria-label^="Select all jobs"]:enabled').first().check({ force: true });
  await page.getByRole('button', { name: `Select all ${all} jobs that match` }).click();
  await page.getByText(`(${all}, ${all} selected)`).waitFor();
  // On the second page, whose jobs are not read otherwise.
  await service.api('POST', `/jobs/${ids[0]}/cancel`);
  await page.getByRole('button', { name: 'Cancel jobs' }).click();
  const preview = page.getByRole('dialog');
  await preview.getByText(`This affects ${all - 1} of ${all} jobs. 1 job changed after the selection.`).waitFor();
  await preview.getByRole('button', { name: `Cancel ${all - 1} jobs` }).click();
  await preview.getByText(`${all - 1} jobs accepted`).waitFor();
  await preview.getByRole('heading', { name: 'Cancel: done' }).waitFor();
  expect(await preview.getByText('Cancelled', { exact: true }).count()).toBeGreaterThanOrEqual(all - 1);
  const { json } = await service.api('GET', `/jobs?status=DRAFT&project=${project}`);
  expect(json.items).toEqual([expect.objectContaining({ prompt_preview: 'leave me' })]);
  await stay(page);
});
