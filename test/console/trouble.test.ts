import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay } from './setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
});

const installClock = async (page: Page) => await page.clock.install();
const follow = async (page: Page, name: string) =>
  await page.locator('#navigation').getByRole('link', { name, exact: true }).click();

test('a page whose code fails to load shows an error, keeps its address, and opens when the service responds', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { session: 'own' });
  await page.getByRole('heading', { name: /^Jobs/ }).waitFor();
  await page.context().setOffline(true);
  await follow(page, 'Statistics');
  await page.getByText('This page could not be loaded').waitFor();
  expect(new URL(page.url()).pathname).toBe('/stats');
  // Parts that are already loaded keep working.
  await page.goBack();
  await page.getByRole('heading', { name: /^Jobs/ }).waitFor();
  await page.goForward();
  await page.getByText('This page could not be loaded').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Statistics' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/stats');
  await page.context().close();
});

describe('an open page whose data cannot be read again', () => {
  let page: Page;
  const mark = () => page.getByText('This page is out of date');

  beforeAll(async () => {
    page = await openAs(browser, service.consoleUrl, 'admin', { before: installClock });
  });
  afterAll(async () => await page?.context().close());

  test('shows an error in the list of jobs, and its clocks stop', async () => {
    const prompt = 'while :; do sleep 0.2; done';
    const { json } = await service.api('POST', '/jobs', { prompt, profile: 'shell' });
    const row = page.getByRole('row').filter({ has: page.locator(`a[href="/jobs/${json.id}"]`) });
    await row.getByText('Running').waitFor();
    await page.context().setOffline(true);
    await page.clock.fastForward(6_000);
    await mark().waitFor();
    await page.getByText('The service is not responding. Check that it is running').waitFor();
    expect(await page.getByText('Failed to fetch').count()).toBe(0);
    const clock = row.getByRole('cell').last();
    const shown = await clock.innerText();
    await page.clock.fastForward(300_000);
    expect(await clock.innerText()).toBe(shown);
    await page.context().setOffline(false);
    await page.clock.fastForward(6_000);
    await mark().waitFor({ state: 'detached' });
    await service.api('POST', `/jobs/${json.id}/kill`);
  });

  test.each([
    ['Statistics', 'stats', 'polled'],
    ['Rules', 'rules', 'read on return'],
  ])('%s shows an error, keeps the data, and updates once /%s responds', async (name, path, reading) => {
    const address = (url: URL) => url.pathname === `/api/v1/${path}`;
    const isRead = (url: string) => address(new URL(url));
    const first = page.waitForResponse((response) => isRead(response.url()));
    await follow(page, name);
    await (await first).finished();
    const heading = page.getByRole('heading', { level: 1, name });
    await heading.waitFor();
    await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
    expect(await mark().count()).toBe(0);
    await page.route(address, async (route) => {
      await route.fulfill({ status: 429, json: { error: 'too_many_requests' } });
    });
    await page.clock.fastForward(31_000);
    if (reading === 'read on return') await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
    await mark().waitFor();
    await page.getByText('The service received too many requests.').waitFor();
    await page.getByText('The page updates as soon as the service responds.').waitFor();
    await heading.waitFor();
    await page.unroute(address);
    await page.clock.fastForward(6_000);
    await mark().waitFor({ state: 'detached' });
  });

  test('shows an error after a request that the service never answers', async () => {
    await follow(page, 'Environment');
    await page.getByRole('heading', { level: 2, name: 'Service' }).waitFor();
    const address = (url: URL) => url.pathname === '/api/v1/environment';
    const asked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await page.route(address, async (route) => {
      asked.resolve();
      await release.promise;
      await route.continue().catch(() => undefined);
    });
    await page.clock.fastForward(6_000);
    await asked.promise;
    expect(await mark().count()).toBe(0);
    await page.clock.fastForward(66_000);
    await mark().waitFor();
    // The page has another request, which the clock may end too.
    await page.getByText('The service is not responding.').first().waitFor();
    release.resolve();
    await page.unroute(address);
    await page.clock.fastForward(6_000);
    await mark().waitFor({ state: 'detached' });
  });
});

test('a log resumes after its last line once an overloaded service, or a session, is back', async () => {
  const { json } = await service.api('POST', '/jobs', { prompt: 'echo first; echo second', profile: 'shell' });
  await waitFor(async () => (await service.api('GET', `/jobs/${json.id}/status?wait=20`)).json.terminal);
  const asked: (string | undefined)[] = [];
  const piece = { attempt: 1, stream: 'stdout', text: 'first\n', offset: 0, next_offset: 6 };
  const before = async (opened: Page) =>
    await opened.route('**/logs?follow=1*', async (route) => {
      asked.push(route.request().headers()['last-event-id']);
      if (asked.length === 1)
        return await route.fulfill({
          contentType: 'text/event-stream',
          body: `retry: 0\nid: 6,0\ndata: ${JSON.stringify(piece)}\n\n`,
        });
      const status = [503, 429, 401][asked.length - 2];
      if (status !== undefined)
        return await route.fulfill({ status, json: { error: status === 401 ? 'unauthorized' : 'unavailable' } });
      await route.continue();
    });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: `/jobs/${json.id}`, before });
  const lines = page.locator('.job-log').getByRole('listitem');
  await lines.getByText('second', { exact: true }).waitFor();
  expect(await lines.getByText('first', { exact: true }).count()).toBe(1);
  await page.getByRole('tabpanel').getByText('Complete', { exact: true }).waitFor();
  expect(asked).toEqual([undefined, '6,0', '6,0', '6,0', '6,0']);
  await stay(page);
});

/** A rejection without a sentence in the console. */
const REJECTION = { error: 'the moon is in the way', request_id: 'r-moon' };

test("a rejected action shows the service's message", async () => {
  const { json } = await service.api('POST', '/jobs', { prompt: 'exit 1', profile: 'shell' });
  await waitFor(async () => (await service.api('GET', `/jobs/${json.id}/status?wait=20`)).json.terminal);
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: `/jobs/${json.id}` });
  await page.route('**/retry', async (route) => await route.fulfill({ status: 409, json: REJECTION }));
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText(REJECTION.error).waitFor();
  await stay(page);
});
