import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createJob } from '../../api/job-client.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { amount } from '../../vitest/amount.ts';
import { leave, openAs, sharedBrowser, stay } from '../setup/browser.ts';
import { serviceResponse } from '../setup/stubs.ts';

let service: ServiceUnderTest;
let browser: Browser;

const create = async (fields: Record<string, unknown>) => await createJob(service, fields);

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  const draft = async (fields: Record<string, unknown>) => await create({ draft: true, ...fields });
  await draft({ prompt: 'translate the lanterns', project: 'almanac', profile: 'claude', model: 'm-2' });
  await draft({ prompt: 'check the lanterns', project: 'almanac', profile: 'shell', tags: ['dusk'], cwd: 'docs' });
  await draft({ prompt: 'round the lanterns', project: 'boutique', title: 'Rounding', tags: ['dusk', 'dawn'] });
});

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

const WIDE = { width: 1440, height: 900 };
const openWide = async (path: string, before?: (page: Page) => Promise<unknown>): Promise<Page> =>
  await openAs(browser, service.consoleUrl, 'operator', { path, context: { viewport: WIDE }, before });
const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const names = (page: Page) => page.locator('[data-job]').allInnerTexts();

test('each filter of the API is set in the panel, stored in the address, and cleared by its chip', async () => {
  const page = await openWide('/jobs?search=lanterns');
  await page.getByRole('link', { name: 'Rounding' }).waitFor();
  expect(await page.getByLabel('Created by').count()).toBe(0);
  await button(page, 'Filters').click();
  await page.getByLabel('Created by').waitFor();
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(WIDE.width);
  const chips = page.getByRole('list', { name: 'Active filters' });
  const own = { search: 'lanterns' };
  const suggested = async (label: string, typed: string, sought: Record<string, string>, left: readonly string[]) => {
    await page.getByLabel(label, { exact: true }).fill(typed);
    await page.getByLabel(label, { exact: true }).press('Enter');
    await expect.poll(() => query(page)).toEqual({ ...own, ...sought });
    await expect.poll(() => names(page)).toEqual(left);
    await chips.getByRole('button', { name: `Clear the filter ${label}` }).click();
    await expect.poll(() => query(page)).toEqual(own);
  };
  // Case and the rest of the name do not matter while only one project matches.
  await suggested('Project', 'ALMA', { project: 'almanac' }, ['check the lanterns', 'translate the lanterns']);
  await suggested('Profile', 'Claude', { profile: 'claude' }, ['translate the lanterns']);
  await suggested('Model', 'm-2', { model: 'm-2' }, ['translate the lanterns']);
  await suggested('Tag', 'dawn', { tag: 'dawn' }, ['Rounding']);
  await suggested('Folder', 'docs', { cwd: 'docs' }, ['check the lanterns']);
  await suggested('Created by', 'token:nobody', { created_by: 'token:nobody' }, []);
  await page.getByLabel('Agent').click();
  await page.getByRole('option', { name: 'shell' }).click();
  await expect.poll(() => query(page)).toEqual({ ...own, agent: 'shell' });
  await expect.poll(() => names(page)).toEqual(['check the lanterns']);
  // At the same time: the later change must not undo the earlier one.
  await page.evaluate(`for (const [at, input] of document.querySelectorAll('input[type=datetime-local]').entries()) {
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    set.call(input, at === 0 ? '2020-02-03T04:05' : '2021-02-03T04:05');
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }`);
  const [after, before] = await page.evaluate<string[]>(
    "['2020-02-03T04:05', '2021-02-03T04:05'].map((time) => new Date(time).toISOString())",
  );
  const times = { created_after: after, created_before: before };
  await expect.poll(() => query(page)).toEqual({ ...own, agent: 'shell', ...times });
  await expect.poll(() => names(page)).toEqual([]);
  await page.reload();
  await chips.getByText('Created before: 3 Feb 2021, 04:05').waitFor();
  await chips.getByRole('button', { name: 'Clear all filters' }).click();
  await page.getByRole('link', { name: 'Rounding' }).waitFor();
  // Text left in the field would filter the list again.
  await expect.poll(() => page.getByRole('searchbox', { name: 'Search jobs' }).inputValue()).toBe('');
  expect(query(page)).toEqual({});
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Filters');
  await stay(page);
});

test('the list is sorted by the time of creation in either direction', async () => {
  const page = await openWide('/jobs?status=DRAFT&search=lanterns');
  const newestFirst = ['Rounding', 'check the lanterns', 'translate the lanterns'];
  await expect.poll(() => names(page)).toEqual(newestFirst);
  // The sticky header covers the table's header.
  await page.getByRole('columnheader', { name: 'Created' }).getByRole('button').press('Enter');
  await expect.poll(() => names(page)).toEqual(newestFirst.toReversed());
  expect(query(page)).toEqual({ status: 'DRAFT', search: 'lanterns', order: 'oldest' });
  await button(page, 'Filters').click();
  await page.getByLabel('Order').click();
  await page.getByRole('option', { name: 'Newest first' }).click();
  await expect.poll(() => names(page)).toEqual(newestFirst);
  await stay(page);
});

test('an incomplete count is marked, and an empty page offers the next one', async () => {
  const page = await openWide('/jobs?search=far', async (opened) => {
    await opened.route(/\/api\/v1\/jobs\?/, async (route) => {
      const answer = await serviceResponse<object>(route);
      await route.fulfill({ json: { ...answer, items: [], total: 1_234, total_complete: false, next_cursor: 'x' } });
    });
  });
  await page.getByText('(at least 1,234)').waitFor();
  await page.getByText('The next page continues the search.').waitFor();
  expect(await button(page, 'Older').isEnabled()).toBe(true);
  await leave(page);
});

test("a failed job's row shows the error, and a script is named by its comment", async () => {
  const script = {
    prompt: '#!/bin/sh\nset -eu\n# Check the spelling\nexit 3',
    profile: 'shell',
    project: 'lanterns-fail',
  };
  const ids = [await create(script), await create({ ...script, prompt: 'kill -9 $$\necho never' })];
  ids.push(await create({ prompt: '# Try\nit\ndrill: fail 400', project: 'lanterns-fail' }));
  for (const id of ids)
    await waitFor(async () => (await service.api('GET', `/jobs/${id}/status`)).json.terminal, { timeoutMs: 90_000 });
  const page = await openWide('/jobs?project=lanterns-fail');
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await row('Check the spelling').getByText('Exit code 3', { exact: true }).waitFor();
  await row('kill -9 $$ …').getByText('Ended by SIGKILL', { exact: true }).waitFor();
  const agent = row('Try it drill: fail 400');
  await agent.getByText('Agent error', { exact: true }).waitFor();
  await agent.getByText(/^The practice vendor fails as asked/).waitFor();
  await stay(page);
});
