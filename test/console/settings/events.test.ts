import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../../api/job-client.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';
import { stubEvents } from '../setup/event-stubs.ts';

let service: ServiceUnderTest;
let browser: Browser;
let viewer: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  viewer = await openAs(browser, service.consoleUrl, 'viewer');
});
afterAll(async () => await stay(viewer));

/** Says that the tab is hidden, or shown again. */
const HIDE = (isHidden: boolean) => `
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${isHidden ? 'hidden' : 'visible'}' });
  document.dispatchEvent(new Event('visibilitychange'))`;

const rows = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

test('events appear as they happen, lead to their job, and are filtered by the address', async () => {
  const body = { project: 'events in console', profile: 'shell', draft: true, prompt: 'true' };
  const first = await createJob(service, body);
  await visit(viewer, '/events?project=events+in+console');
  await rows(viewer, first).getByText('Draft created').waitFor();
  await viewer.getByText('Live', { exact: true }).waitFor();
  const second = await createJob(service, body);
  await rows(viewer, second).getByText('Draft created').waitFor();
  expect(await rows(viewer, 'job_').first().innerText()).toContain(second);
  await service.api('POST', `/jobs/${first}/submit`);
  await rows(viewer, first).getByText('Job succeeded').waitFor();
  await rows(viewer, first)
    .getByRole('link', { name: /^no. 1:/ })
    .click();
  await rows(viewer, second).first().waitFor({ state: 'detached' });
  const numbers = await rows(viewer, first)
    .getByRole('link', { name: /^no\. / })
    .allInnerTexts();
  expect(numbers).toEqual(numbers.map((_, at) => `no. ${numbers.length - at}`));
  await rows(viewer, first)
    .getByRole('link', { name: `Job succeeded: ${first}` })
    .click();
  await viewer.waitForURL(`**/jobs/${first}?*`);
  await viewer.getByRole('tab', { name: 'Details' }).click();
  await viewer.getByRole('link', { name: 'Events', exact: true }).last().click();
  await rows(viewer, first).getByText('Draft created').waitFor();
});

test('a hidden tab does not read, and continues where it was', async () => {
  const body = { project: 'events while hidden', profile: 'shell', draft: true, prompt: 'true' };
  const seen = await createJob(service, body);
  await visit(viewer, '/events?project=events+while+hidden');
  await rows(viewer, seen).first().waitFor();
  await viewer.getByText('Live', { exact: true }).waitFor();
  const requests: string[] = [];
  const listen = (request: { url(): string }) =>
    request.url().includes('/api/v1/events') && requests.push(request.url());
  viewer.on('request', listen);
  await viewer.evaluate(HIDE(true));
  const later = await createJob(service, body);
  await expect
    .poll(async () => (await service.api('GET', `/events?job=${later}`)).json.items.length, { timeout: 20_000 })
    .toBe(1);
  expect(requests).toEqual([]);
  expect(await rows(viewer, later).count()).toBe(0);
  await viewer.evaluate(HIDE(false));
  await rows(viewer, later).first().waitFor();
  expect(new URL(requests[0] ?? '').searchParams.get('after')).toMatch(/^\d+-\d+$/);
  expect(await rows(viewer, seen).count()).toBe(1);
  viewer.off('request', listen);
});

test('of 12,000 events the newest 10,000 are there, 50 a page, and one says that earlier ones are missing', async () => {
  await stubEvents({ total: 12_000, missed: true })(viewer);
  await visit(viewer, '/events?since=30d');
  await viewer.getByText('(10,000+)').waitFor();
  await viewer.getByText('Events are missing here').waitFor();
  expect(await viewer.getByRole('table', { name: 'Events' }).getByRole('row').count()).toBe(51);
  await viewer.getByRole('button', { name: 'Page 200' }).click();
  expect(await viewer.getByRole('table', { name: 'Events' }).getByRole('row').count()).toBe(51);
});
