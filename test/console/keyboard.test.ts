import type { Browser, Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { untilEnded } from '../api/job-client.ts';
import type { ServiceUnderTest } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { leave, openAs, PAGE_TIMEOUT_MS, sharedBrowser, stay } from './setup/browser.ts';
import { openTab, press } from './setup/keyboard.ts';
import { stubChanges } from './setup/stubs.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
});

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

test('every task can be done by keyboard alone, with a visible focus', async () => {
  const context = await browser.newContext({ baseURL: service.consoleUrl, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  // Signing in.
  await page.goto('/auth/sign-in?return_to=%2Fjobs');
  await press(page, page.locator('button[name=role][value=admin]'));
  await page.getByRole('heading', { name: /^Jobs/ }).waitFor();

  // Creating, following, reading.
  await page.keyboard.press('n');
  await page.getByLabel('Prompt', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('drill: tool sleep 600');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'drill: tool sleep 600' }).waitFor();
  await page.getByText('sleep 600').nth(1).waitFor();
  const first = new URL(page.url()).pathname;

  // Cancelling, retrying.
  await press(page, button(page, 'Cancel job'));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Cancel this job' }));
  await page.getByText('Cancelled').first().waitFor();
  await press(page, button(page, /^Retry/));
  await page
    .getByText(/Queued|Running/)
    .first()
    .waitFor();
  await service.api('POST', `${first}/cancel`);
  await untilEnded(service, first.slice('/jobs/'.length));

  // Reading a diff.
  await stubChanges(page);
  await page.goto(`${first}?tab=details`);
  await openTab(page, 'Changes');
  await page.locator('.diff-rows').first().waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
});

describe('the command palette', () => {
  /** A draft for the palette to find. */
  let job: string;

  beforeAll(async () => {
    const body = { prompt: 'count the herons', title: 'Heron census', profile: 'shell', draft: true };
    job = (await service.api('POST', '/jobs', body)).json.id;
  });

  const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
  const field = (page: Page) => palette(page).getByRole('combobox');
  const option = (page: Page, name: string | RegExp) => palette(page).getByRole('option', { name });
  const focused = (page: Page, selector: string) => page.locator(`${selector}:focus`).waitFor();
  const open = async (page: Page) => {
    await page.keyboard.press('Control+k');
    await field(page).and(page.locator(':focus')).waitFor();
  };

  test('Ctrl+K, words and Enter open a page', async () => {
    const page = await openAs(browser, service.consoleUrl, 'admin');
    await open(page);
    await page.keyboard.type('log aud');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/audit');
    await focused(page, '#main');
    expect(await palette(page).count()).toBe(0);
    await stay(page);
  });

  test('commands of the page are copied, with its filters and without a token', async () => {
    const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/jobs?status=DRAFT&tag=a%20b' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'From a terminal' }).click();
    const dialog = page.getByRole('dialog', { name: 'From a terminal' });
    const copied = async (name: string) => {
      await dialog.getByRole('button', { name, exact: true }).click();
      return await page.evaluate<string>('navigator.clipboard.readText()');
    };
    const url = service.baseUrl;
    const line = await copied('Copy as promptq: These jobs');
    expect(line).toBe(`PROMPTQ_URL=${url} promptq list --status=DRAFT '--tag=a b'`);
    expect(await copied('Copy as curl: These jobs')).toContain(`curl -sS '${url}/api/v1/jobs?status=DRAFT&tag=a+b'`);
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.context().clearPermissions();
    await stay(page);
  });

  test('jobs are found by prompt, title and ID, and the arrow keys select', async () => {
    const page = await openAs(browser, service.consoleUrl, 'viewer');
    const searches: string[] = [];
    const record = (request: Request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/jobs') && searchParams.has('search')) searches.push(searchParams.toString());
    };
    page.on('request', record);
    await open(page);
    await field(page).fill('h');
    await field(page).fill('the herons');
    await option(page, /^Heron census/).waitFor();
    await field(page).fill(job.slice(0, 20));
    await option(page, /^Heron census/).waitFor();
    expect(searches).toEqual([
      new URLSearchParams({ search: 'the herons', limit: '8' }).toString(),
      new URLSearchParams({ search: job.slice(0, 20), limit: '8' }).toString(),
    ]);
    await field(page).fill('d');
    await page.keyboard.press('ArrowUp');
    const last = palette(page).getByRole('option').last();
    expect(await last.getAttribute('aria-selected')).toBe('true');
    expect(await field(page).getAttribute('aria-activedescendant')).toBe(await last.getAttribute('id'));
    await page.keyboard.press('ArrowDown');
    expect(await palette(page).getByRole('option').first().getAttribute('aria-selected')).toBe('true');
    await field(page).fill('heron census');
    await option(page, /^Heron census/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/jobs/${job}*`);
    page.off('request', record);
    await stay(page);
  });

  test('the palette offers only what the role allows', async () => {
    const admin = await openAs(browser, service.consoleUrl, 'admin');
    await open(admin);
    for (const name of ['New job', 'API tokens', 'Audit log', 'Failed jobs', 'Sign out'])
      await option(admin, name).waitFor();
    await stay(admin);
    const viewer = await openAs(browser, service.consoleUrl, 'viewer');
    await open(viewer);
    await option(viewer, 'Audit log').waitFor();
    expect(await option(viewer, 'New job').count()).toBe(0);
    expect(await option(viewer, 'API tokens').count()).toBe(0);
    await stay(viewer);
  });

  test('actions take effect: the theme, the shortcuts, signing out', async () => {
    const page = await openAs(browser, service.consoleUrl, 'operator', { session: 'own' });
    await open(page);
    await page.keyboard.type('dark');
    await page.keyboard.press('Enter');
    await page.locator('body.awsui-dark-mode').waitFor();
    await page.keyboard.press('Control+k');
    await option(page, 'Use the light theme').waitFor();
    expect(await option(page, 'Use the dark theme').count()).toBe(0);
    await option(page, 'Keyboard shortcuts').click();
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Ctrl+K', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await open(page);
    await page.keyboard.type('sign out');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/auth\//);
    await page.context().close();
  });

  test('disabling shortcuts disables Ctrl+K, but not the button', async () => {
    const page = await openAs(browser, service.consoleUrl, 'operator');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Single-key shortcuts and Ctrl+K').click();
    // The palette does not open over another dialog.
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('button', { name: 'Command palette' }).click();
    await field(page).waitFor();
    expect(await palette(page).count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Command palette' }).and(page.locator(':focus')).waitFor();
    await leave(page);
  });
});
