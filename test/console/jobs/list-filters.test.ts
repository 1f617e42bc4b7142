import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { leave, openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';
import { serviceResponse } from '../setup/stubs.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  const draft = async (fields: Record<string, unknown>) => await create({ draft: true, ...fields });
  await draft({ prompt: 'translate the lanterns', project: 'almanac', profile: 'claude', model: 'm-2' });
  await draft({ prompt: 'check the lanterns', project: 'almanac', profile: 'shell', tags: ['dusk'], cwd: 'docs' });
  await draft({ prompt: 'round the lanterns', project: 'boutique', title: 'Rounding', tags: ['dusk', 'dawn'] });
});

async function create(fields: Record<string, unknown>): Promise<string> {
  const { status, json, text } = await service.api('POST', '/jobs', fields);
  expect(status, text).toBe(201);
  return json.id as string;
}

const WIDE = { width: 1440, height: 900 };
const open = async (path: string, before?: (page: Page) => Promise<unknown>): Promise<Page> =>
  await openAs(browser, service.consoleUrl, 'operator', { path, context: { viewport: WIDE }, before });
const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const names = (page: Page) => page.locator('[data-job]').allInnerTexts();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('each filter of the API is set in the panel, stored in the address, and cleared by its chip', async () => {
  const page = await open('/jobs?search=lanterns');
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
  expect(query(page)).toEqual({});
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Filters');
  await stay(page);
});

test('a project that is typed before the projects are loaded is matched once they are', async () => {
  const typed = Promise.withResolvers<void>();
  const page = await open('/jobs', async (opened) => {
    await opened.route(/\/api\/v1\/projects/, async (route) => {
      await typed.promise;
      await route.continue();
    });
  });
  await button(page, 'Filters').click();
  await page.getByLabel('Project', { exact: true }).fill('ALMA');
  await page.getByLabel('Project', { exact: true }).press('Enter');
  typed.resolve();
  await expect.poll(() => query(page)).toEqual({ project: 'almanac' });
  await leave(page);
});

test('a time is typed over another one, and only a complete time is applied', async () => {
  const page = await open('/jobs?created_before=2021-02-03T12:00:00Z');
  await button(page, 'Filters').click();
  const time = page.getByLabel('Created before', { exact: true });
  await time.waitFor();
  const sought: string[] = [];
  const record = () => sought.push(new URL(page.url()).searchParams.get('created_before') ?? '');
  page.on('framenavigated', record);
  await time.focus();
  // Slowly enough that each part of a year would be sent.
  await page.keyboard.type('03042022', { delay: 350 });
  await expect.poll(() => sought.at(-1)?.slice(0, 10)).toBe('2022-03-04');
  expect(sought.filter((value) => value < '2021')).toEqual([]);
  page.off('framenavigated', record);
  await stay(page);
});

test('a tag of a row filters the list further, and saved filters restore every filter', async () => {
  const page = await open('/jobs?project=almanac&agent=shell&order=oldest');
  await page.getByRole('link', { name: 'dusk' }).click();
  const sought = { project: 'almanac', agent: 'shell', order: 'oldest', tag: 'dusk' };
  await expect.poll(() => query(page)).toEqual(sought);
  await button(page, 'Saved filters').click();
  await page.getByRole('menuitem', { name: 'Save these filters…' }).click();
  await page.getByLabel('Name').fill('Night');
  await button(page, 'Save').click();
  await page.getByRole('list', { name: 'Active filters' }).getByText('Clear all filters').click();
  await expect.poll(() => query(page)).toEqual({ order: 'oldest' });
  await button(page, 'Saved filters').click();
  await page.getByRole('menuitem', { name: 'Night Project: almanac, Agent: shell, Tag: dusk, Oldest first' }).click();
  await expect.poll(() => query(page)).toEqual(sought);
  await stay(page);
});

test('the list is sorted by the time of creation in either direction', async () => {
  const page = await open('/jobs?status=DRAFT&search=lanterns');
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

test('the counts by state, which are those of all jobs, are shown without other filters only', async () => {
  const page = await open('/jobs?status=DRAFT');
  const tab = page.getByRole('group', { name: 'State' }).getByRole('button', { name: /^Draft/ });
  await expect.poll(() => tab.innerText()).toMatch(/^Draft [1-9]/);
  await page.getByRole('row').filter({ hasText: 'Rounding' }).waitFor();
  await visit(page, '/jobs?status=DRAFT&project=no-such-project');
  await page.getByText('No matching jobs').waitFor();
  expect((await tab.innerText()).trim()).toBe('Draft');
  await stay(page);
});

test('an incomplete count is marked, and an empty page offers the next one', async () => {
  const page = await open('/jobs?search=far', async (opened) => {
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
  const page = await open('/jobs?project=lanterns-fail');
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  await row('Check the spelling').getByText('Exit code 3', { exact: true }).waitFor();
  await row('kill -9 $$ …').getByText('Ended by SIGKILL', { exact: true }).waitFor();
  const agent = row('Try it drill: fail 400');
  await agent.getByText('Agent error', { exact: true }).waitFor();
  await agent.getByText(/^The practice vendor fails as asked/).waitFor();
  await stay(page);
});

test('columns and exact times are chosen, and stored in the browser', async () => {
  const page = await open('/jobs?status=DRAFT');
  const header = (name: string) => page.getByRole('columnheader', { name, exact: true });
  await header('Profile').first().waitFor();
  const time = page.locator('tbody time').first();
  expect(await time.innerText()).toMatch(/ago$|now$/);
  await button(page, 'List settings').click();
  await page.getByRole('checkbox', { name: 'Profile' }).uncheck();
  await page.getByRole('checkbox', { name: 'Created by' }).check();
  await page.getByRole('checkbox', { name: 'Show exact times' }).check();
  await button(page, 'Close').last().click();
  const isChosen = async () => {
    await header('Created by').first().waitFor();
    expect(await header('Profile').count()).toBe(0);
    expect(await time.innerText()).toMatch(/^\d{1,2} \w{3,4}, \d\d:\d\d:\d\d$/);
    expect(await time.getAttribute('title')).toMatch(/\d{4}/);
  };
  await isChosen();
  await page.reload();
  await isChosen();
  await button(page, 'List settings').click();
  await button(page, 'Reset columns').click();
  await header('Profile').first().waitFor({ state: 'attached' });
  await leave(page);
});

test('the header of a scrolled list stays below the top bar', async () => {
  const page = await open('/jobs');
  await page.setViewportSize({ width: 1440, height: 320 });
  await page.getByRole('link', { name: 'translate the lanterns' }).waitFor();
  await page.evaluate('window.scrollTo(0, 60)');
  await expect.poll(() => page.evaluate('window.scrollY')).toBeGreaterThan(44);
  const over = (y: number, selector: string) =>
    page.evaluate<boolean>(`document.elementFromPoint(700, ${y}).closest('${selector}') !== null`);
  await expect.poll(() => over(20, '.top-bar')).toBe(true);
  expect(await over(60, '#main [class*=header]')).toBe(true);
  await page.setViewportSize(WIDE);
  await stay(page);
});

test('a changed filter opens the first page', async () => {
  for (const project of ['lantern-one', 'lantern-one', 'lantern-two'])
    await service.api('POST', '/jobs', { prompt: 'x', project, draft: true });
  const { json } = await service.api('GET', '/jobs?project=lantern-one&limit=1');
  expect(json.next_cursor).toEqual(expect.any(String));
  const page = await open(`/jobs?project=lantern-one&cursor=${encodeURIComponent(json.next_cursor)}`);
  await page.getByRole('button', { name: 'Clear the filter Project' }).click();
  await expect.poll(() => query(page)).toEqual({});
  await stay(page);
});

test('rows of the filters before are dimmed until the others arrive', async () => {
  const page = await open('/jobs?project=boutique&tag=dusk');
  await page.getByRole('row').filter({ hasText: 'Rounding' }).waitFor();
  const { promise: arrives, resolve: respond } = Promise.withResolvers<void>();
  await page.route('**/api/v1/jobs?*', async (route) => {
    await arrives;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Clear the filter Project' }).click();
  const opacity = "getComputedStyle(document.querySelector('[aria-busy=true] tbody')).opacity";
  await expect.poll(async () => await page.evaluate<string>(opacity)).toBe('0.4');
  respond();
  await page.getByRole('row').filter({ hasText: 'check the lanterns' }).waitFor();
  expect(await page.locator('[aria-busy=true]').count()).toBe(0);
  await stay(page);
});
