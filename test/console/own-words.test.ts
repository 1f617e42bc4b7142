import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../local-service.ts';
import { serviceAnswer } from './answers.ts';
import { callFromPage, launchBrowser, openAs } from './browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** A refusal that the console has no words of its own for. */
const REFUSAL = { error: 'the moon is in the way', request_id: 'r-moon' };

test('an action that the service refuses is told of in its words', async () => {
  const { json } = await service.api('POST', '/jobs', { prompt: 'exit 1', profile: 'shell' });
  await waitFor(async () => (await service.api('GET', `/jobs/${json.id}/status?wait=20`)).json.terminal);
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: `/jobs/${json.id}` });
  await page.route('**/retry', async (route) => await route.fulfill({ status: 409, json: REFUSAL }));
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.getByText(REFUSAL.error).waitFor();
  await page.context().close();
});

test('a page that the service refuses says why in its words, and names the request', async () => {
  const page = await openAs(browser, service.consoleUrl, 'operator');
  await page.route('**/api/v1/stats', async (route) => await route.fulfill({ status: 500, json: REFUSAL }));
  await page.goto('/stats');
  await page.getByText(REFUSAL.error).waitFor();
  await page.getByText(REFUSAL.request_id).waitFor();
  await page.context().close();
});

test('a token is shown as expired from its expiry on', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin');
  for (const name of ['past', 'coming', 'lasting'])
    expect(await callFromPage(page, 'POST', '/tokens', { name })).toBe(201);
  const expiry: Record<string, number> = { past: -60_000, coming: 3_600_000 };
  await page.route(/\/api\/v1\/tokens(\?|$)/, async (route) => {
    const answer = await serviceAnswer<{ items: { name: string }[] }>(route);
    const now = Date.now();
    const items = answer.items.map((token) => {
      const after = expiry[token.name];
      return { ...token, expires_at: after === undefined ? null : new Date(now + after).toISOString() };
    });
    await route.fulfill({ json: { ...answer, items } });
  });
  await page.goto('/api-tokens');
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
  await row('past').getByText('Expired').waitFor();
  await row('coming').getByText('Active').waitFor();
  await row('lasting').getByText('Active').waitFor();
  await page.context().close();
});

test('the last day of the audit log counts to its end', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin');
  const asked: URLSearchParams[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/api/v1/audit-logs') asked.push(searchParams);
  });
  await page.goto('/audit?since=2026-11-19&until=2026-11-20');
  await expect.poll(() => asked.length).toBeGreaterThan(0);
  const [since, until] = await page.evaluate<string[]>(
    '[new Date(2026, 10, 19), new Date(2026, 10, 21)].map((time) => time.toISOString())',
  );
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({ since, until });
  await page.context().close();
});

test('a changed filter begins at the first page', async () => {
  for (const project of ['one', 'one', 'two'])
    await service.api('POST', '/jobs', { prompt: 'x', project, draft: true });
  const { json } = await service.api('GET', '/jobs?project=one&limit=1');
  expect(json.next_cursor).toEqual(expect.any(String));
  const page = await openAs(browser, service.consoleUrl, 'operator');
  await page.goto(`/jobs?project=one&cursor=${encodeURIComponent(json.next_cursor)}`);
  await page.getByRole('button', { name: 'Clear the filter Project' }).click();
  await expect.poll(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual({});
  await page.context().close();
});
