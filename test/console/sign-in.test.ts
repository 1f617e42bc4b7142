import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchLocalhost } from '../../lib/access/sign-in/localhost-fetch.ts';
import type { ServiceUnderTest } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { axeViolations, loadAxe } from './scenes/axe.ts';
import { chooseRole, openAs, PAGE_TIMEOUT_MS, sharedBrowser } from './setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
/** Its session is that of `session`. */
let admin: Page;
/** A session's cookie, as the browser sends it. */
let session: string;

/** Another server on this machine, which records its requests. */
const received: IncomingHttpHeaders[] = [];
const other = createServer((request, response) => {
  received.push(request.headers);
  response.end('another server');
});

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  admin = await openAs(browser, service.consoleUrl, 'admin', { session: 'own' });
  const cookies = await admin.context().cookies(service.consoleUrl);
  const value = cookies.find(({ name }) => name === 'promptq')?.value;
  expect(value).toMatch(/^[\w-]{43}$/);
  session = `promptq=${value}`;
});
afterAll(async () => {
  other.close();
  await admin?.context().close();
});

test('an unauthenticated user signs in and returns to the requested page', async () => {
  const context = await browser.newContext({ baseURL: service.consoleUrl });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  await page.goto('/jobs?status=FAILED');
  await chooseRole(page, 'operator');
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/jobs?status=FAILED');
  await page.getByRole('button', { name: 'operator@promptq.local' }).waitFor();
  await context.close();
});

test('the pages around the sign-in are accessible, light and dark, on a narrow screen', async () => {
  const context = await browser.newContext({ baseURL: service.consoleUrl, viewport: { width: 360, height: 640 } });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  const checked = async () => {
    await loadAxe(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page)).toEqual([]);
    }
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  };
  await page.goto('/auth/sign-in');
  await checked();
  await chooseRole(page, 'stranger');
  await page.getByRole('heading', { name: 'You have no role here' }).waitFor();
  await checked();
  await context.close();
});

test('signing out ends the session, shows the signed-out page, and drops unsent input', async () => {
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/jobs/new', session: 'own' });
  const prompt = page.getByLabel('Prompt', { exact: true });
  await prompt.fill('for no one else');
  await page.getByRole('button', { name: 'viewer@promptq.local' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'signed out' }).waitFor();
  expect((await page.goto('/api/v1/session'))?.status()).toBe(401);
  await page.goto('/auth/sign-in?return_to=%2Fjobs%2Fnew');
  await chooseRole(page, 'operator');
  await prompt.waitFor();
  expect(await prompt.inputValue()).toBe('');
});

async function statusAt(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> {
  const body = method === 'GET' ? {} : { body: '{"name":"stolen"}' };
  const init = { method, redirect: 'manual', headers: { cookie: session, ...headers }, ...body } as const;
  return (await fetchLocalhost(url, init)).status;
}

test("servers on other ports of this machine get neither the cookie nor the run's host name", async () => {
  const { port } = other.address() as AddressInfo;
  for (const name of ['127.0.0.1', 'localhost']) {
    // As a typed address, and as a link on a page of the console.
    await admin.goto(`http://${name}:${port}/`);
    await admin.goto(`${service.consoleUrl}/jobs`);
    await admin.evaluate(`location.assign('http://${name}:${port}/linked')`);
    await admin.getByText('another server').waitFor();
  }
  expect(received.length).toBeGreaterThanOrEqual(4);
  for (const headers of received) {
    expect(headers.cookie).toBeUndefined();
    expect(JSON.stringify(headers)).not.toContain(new URL(service.consoleUrl).hostname);
  }
});

test("the session is valid only under the run's host name", async () => {
  const { port } = new URL(service.consoleUrl);
  expect(await statusAt(`${service.consoleUrl}/api/v1/session`)).toBe(200);
  for (const name of ['127.0.0.1', 'localhost']) {
    expect(await statusAt(`http://${name}:${port}/api/v1/session`)).toBe(401);
    for (const origin of [service.baseUrl, service.consoleUrl])
      expect(await statusAt(`http://${name}:${port}/api/v1/tokens`, { origin }, 'POST')).toBe(401);
  }
  expect(await statusAt(`http://other.localhost:${port}/api/v1/session`)).toBe(403);
});

test("the usual address redirects the user's browsers to the host name, and reveals it to no other user", async () => {
  const reached = await browser.newPage();
  for (const name of ['127.0.0.1', 'localhost']) {
    await reached.goto(`http://${name}:${new URL(service.baseUrl).port}/stats?days=7`);
    await reached.locator('button[name=role]').first().waitFor();
    expect(new URL(reached.url()).hostname).toBe(new URL(service.consoleUrl).hostname);
  }
  await reached.close();
  const own = await fetch(`${service.baseUrl}/stats?days=7`, { redirect: 'manual' });
  expect([own.status, own.headers.get('location')]).toEqual([302, `${service.consoleUrl}/stats?days=7`]);
  const signOut = await fetch(`${service.baseUrl}/auth/sign-out`, { method: 'POST' });
  expect([signOut.status, (await signOut.text()).includes('.localhost')]).toEqual([403, false]);
});

test.runIf(process.getuid?.() === 0)(
  'another user of this machine is refused with and without the cookie',
  async () => {
    const asked = async (...args: string[]) => {
      const curl = ['--reuid=65534', '--regid=65534', '--clear-groups', 'curl', '-si', ...args];
      return (await promisify(execFile)('setpriv', curl)).stdout;
    };
    const { hostname } = new URL(service.consoleUrl);
    for (const path of ['/', '/jobs', '/auth/sign-in', '/auth/signed-out', '/api/v1/session', '/api/v1/openapi.json'])
      for (const more of [[], ['-H', `Cookie: ${session}`], ['-X', 'POST']]) {
        const answer = await asked(...more, `${service.baseUrl}${path}`);
        expect(answer).toMatch(/^HTTP\/1\.1 40[134] /);
        expect(answer).not.toContain(hostname);
      }
  },
);
