import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { callFromPage, chooseRole, openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
let admin: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  admin = await openAs(browser, service.consoleUrl, 'admin');
});
afterAll(async () => await stay(admin));

async function statusWith(token: string): Promise<number> {
  return (await fetch(`${service.baseUrl}/api/v1/health`, { headers: { authorization: `Bearer ${token}` } })).status;
}

test('a token is shown once, works, and is rejected after it is revoked', async () => {
  await visit(admin, '/api-tokens');
  await admin.getByRole('button', { name: 'Create token' }).click();
  await admin.getByRole('button', { name: 'Create', exact: true }).click();
  await admin.getByText('Enter a name for the token.').waitFor();
  await admin.getByLabel('Name').fill('hourly build');
  await admin.getByRole('button', { name: 'Create', exact: true }).click();
  const token = (await admin.getByTestId('token').textContent()) ?? '';
  expect(token).toMatch(/^pq_/);
  await admin.keyboard.press('Escape');
  await admin.getByText('Have you saved it?').waitFor();
  expect(await admin.getByTestId('token').innerText()).toBe(token);
  await admin.getByRole('button', { name: 'I have saved it' }).click();
  await admin.getByRole('cell', { name: 'hourly build' }).waitFor();
  expect(await admin.content()).not.toContain(token);
  await admin.reload();
  await admin.getByRole('cell', { name: 'hourly build' }).waitFor();
  expect(await admin.content()).not.toContain(token);
  expect(await statusWith(token)).toBe(200);

  await admin.getByRole('button', { name: 'Suspend hourly build' }).click();
  await admin.getByRole('button', { name: 'Suspend token' }).click();
  const row = admin.getByRole('row').filter({ has: admin.getByRole('rowheader', { name: 'hourly build' }) });
  await row.getByText('Suspended').waitFor();
  expect(await statusWith(token)).toBe(401);
  await admin.getByRole('button', { name: 'Resume hourly build' }).click();
  await admin.getByRole('button', { name: 'Suspend hourly build' }).waitFor();
  expect(await statusWith(token)).toBe(200);
  await admin.getByRole('button', { name: 'Revoke hourly build' }).click();
  await admin.getByRole('button', { name: 'Revoke token' }).click();
  await row.getByText('Revoked').waitFor();
  expect(await statusWith(token)).toBe(401);
});

test("the vendor account is linked on the issuer's page, and unlinked", async () => {
  await visit(admin, '/account');
  await admin.getByRole('button', { name: 'Link an account' }).click();
  const cancelled = (await admin.getByRole('status', { name: 'One-time code' }).textContent()) ?? '';
  expect(cancelled).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{5}$/);
  await admin.getByText('The code expires in').waitFor();
  await admin.getByRole('button', { name: 'Cancel login' }).click();
  await admin.getByText('The login was cancelled.').waitFor();
  await admin.getByRole('button', { name: 'Link an account' }).click();
  const code = (await admin.getByRole('status', { name: 'One-time code' }).textContent()) ?? '';
  expect(code).not.toBe(cancelled);
  const opening = admin.waitForEvent('popup');
  await admin.getByRole('link', { name: "Open the vendor's page" }).click();
  const issuer = await opening;
  await issuer.getByLabel('One-time code').fill(code);
  await issuer.getByRole('button', { name: 'Approve' }).click();
  await issuer.getByRole('status').waitFor();
  await admin.getByText('Linked', { exact: true }).waitFor();
  expect(await admin.content()).not.toContain(code);
  await admin.getByRole('button', { name: 'Unlink' }).click();
  await admin.getByRole('button', { name: 'Unlink account' }).click();
  await admin.getByText('No account is linked').waitFor();
});

test('an invalid configuration changes nothing and lists every error; a valid one is checked, then applied', async () => {
  await visit(admin, '/configuration');
  const text = admin.getByLabel('Document');
  await text.fill('rules:\n  - id: "has blanks"\n    text: x\nprofiles:\n  - name: review\n    agent: nobody');
  await admin.getByRole('button', { name: 'Check' }).click();
  await admin.getByText('Nothing was changed: 2 errors').waitFor();
  await admin.getByText('rules[0].id').waitFor();
  await admin.getByText('profiles[0].agent').waitFor();
  await text.fill('rules: [unclosed');
  await admin.getByRole('button', { name: 'Check' }).click();
  await admin.getByText('at line 1').waitFor();

  const buffer = Buffer.from('rules:\n  - id: by-document\n    text: Written in a document.');
  const file = { name: 'promptq.config.yaml', mimeType: 'text/yaml', buffer };
  await admin.locator('input[type=file]').setInputFiles(file);
  await expect.poll(() => text.inputValue()).toBe(buffer.toString());
  await admin.getByRole('button', { name: 'Check' }).click();
  await admin.getByText('rules created: by-document').waitFor();
  const { json } = await service.api('GET', '/rules');
  expect(json.items.map(({ id }: { id: string }) => id)).not.toContain('by-document');
  await admin.getByRole('button', { name: 'Apply' }).click();
  await admin.getByText('Imported', { exact: true }).waitFor();
  await admin.getByRole('link', { name: 'Rules' }).click();
  await admin.getByRole('cell', { name: 'Written in a document.' }).waitFor();
});

test('the audit log is filtered by principal, action and day', async () => {
  expect(await callFromPage(admin, 'POST', '/tokens', { name: 'audited' })).toBe(201);
  expect(await callFromPage(admin, 'POST', '/config/import', { rules: [] })).toBe(200);
  await visit(admin, '/audit?action=tokens.create');
  await admin.getByRole('rowheader', { name: 'tokens.create' }).first().waitFor();
  expect(await admin.getByRole('rowheader', { name: 'config.import' }).count()).toBe(0);
  const today = new Date();
  const day = [today.getFullYear(), today.getMonth() + 1, today.getDate()].map((part) => String(part).padStart(2, '0'));
  await admin.getByRole('button', { name: 'First day: choose a day' }).click();
  await admin.locator('[aria-current=date]').click();
  expect(await admin.getByRole('textbox', { name: 'First day' }).inputValue()).toBe(day.join('/'));
  await admin.getByRole('button', { name: 'Filter', exact: true }).click();
  await admin.waitForURL(/since=/);
  await admin.getByRole('rowheader', { name: 'tokens.create' }).first().waitFor();
  await admin.getByRole('textbox', { name: 'First day' }).fill('');
  await admin.getByRole('textbox', { name: 'Last day' }).fill(`${today.getFullYear() - 1}/01/31`);
  await admin.getByRole('button', { name: 'Filter', exact: true }).click();
  await admin.getByText('No matching entries', { exact: true }).waitFor();
  await admin.getByRole('button', { name: 'Clear filters' }).click();
  await admin.getByRole('rowheader', { name: 'config.import' }).first().waitFor();
});

test('unsent input survives the end of a session', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/configuration', session: 'own' });
  await page.getByLabel('Document').fill('rules: []');
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Check' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  const opening = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Sign in again' }).click();
  const other = await opening;
  await chooseRole(other, 'admin');
  await other.getByText('You are signed in again').waitFor();
  await other.close();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.getByLabel('Document').inputValue()).toBe('rules: []');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('nothing would change').waitFor();
  await page.context().close();
});

test('a viewer sees no forbidden actions, and the reason', async () => {
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/bindings' });
  await page.getByRole('heading', { name: 'Deploy bindings' }).waitFor();
  expect(await page.getByRole('button', { name: 'Create binding' }).count()).toBe(0);
  for (const path of ['/api-tokens', '/account', '/configuration', '/sessions']) {
    await visit(page, path);
    await page.getByText('This page is for admins').waitFor();
    await page.getByText('You are signed in as viewer').waitFor();
    expect(await page.locator('#main').getByRole('button').count()).toBe(0);
  }
  await stay(page);
});

test('a session is listed with its browser and address, and the current one is marked', async () => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:151.0) Gecko/20100101 Firefox/151.0';
  const page = await openAs(browser, service.consoleUrl, 'admin', {
    path: '/sessions',
    context: { userAgent },
    session: 'own',
  });
  const row = page.getByRole('row').filter({ hasText: 'this session' });
  await row.getByText('Firefox on Linux').waitFor();
  await row.getByText('127.0.0.1').waitFor();
  await row.getByText(/^in \d+ hr/).waitFor();
  await page.context().close();
});

test('the last day of a filter of the audit log is included completely', async () => {
  const asking = admin.waitForRequest((request) => new URL(request.url()).pathname === '/api/v1/audit-logs');
  await visit(admin, '/audit?since=2026-11-19&until=2026-11-20');
  const asked = new URL((await asking).url()).searchParams;
  const [since, until] = await admin.evaluate<string[]>(
    '[new Date(2026, 10, 19), new Date(2026, 10, 21)].map((time) => time.toISOString())',
  );
  expect(Object.fromEntries(asked)).toMatchObject({ since, until });
});
