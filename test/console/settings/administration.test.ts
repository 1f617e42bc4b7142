import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService } from '../../local-service.ts';
import { callFromPage, chooseRole, launchBrowser, openAs } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
let admin: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService();
  admin = await openAs(browser, service.consoleUrl, 'admin');
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

test('a token is shown once, works, and works no more once it is revoked', async () => {
  await admin.goto('/api-tokens');
  await admin.getByRole('button', { name: 'Create token' }).click();
  await admin.getByRole('button', { name: 'Create', exact: true }).click();
  await admin.getByText('Enter a name for the token.').waitFor();
  await admin.getByLabel('Name').fill('nightly build');
  await admin.getByRole('button', { name: 'Create', exact: true }).click();
  const token = (await admin.getByTestId('token').textContent()) ?? '';
  expect(token).toMatch(/^pq_/);
  await admin.getByRole('button', { name: 'I have saved it' }).click();
  await admin.getByRole('cell', { name: 'nightly build' }).waitFor();
  expect(await admin.content()).not.toContain(token);
  await admin.reload();
  await admin.getByRole('cell', { name: 'nightly build' }).waitFor();
  expect(await admin.content()).not.toContain(token);
  expect(await statusWith(token)).toBe(200);

  await admin.getByRole('button', { name: 'Suspend nightly build' }).click();
  await admin.getByRole('button', { name: 'Suspend token' }).click();
  await admin.getByText('Suspended').waitFor();
  expect(await statusWith(token)).toBe(401);
  await admin.getByRole('button', { name: 'Resume nightly build' }).click();
  await admin.getByRole('button', { name: 'Suspend nightly build' }).waitFor();
  expect(await statusWith(token)).toBe(200);
  await admin.getByRole('button', { name: 'Revoke nightly build' }).click();
  await admin.getByRole('button', { name: 'Revoke token' }).click();
  await admin.getByText('Revoked').waitFor();
  expect(await statusWith(token)).toBe(401);
});

test("the vendor account is linked on the issuer's page, and unlinked", async () => {
  await admin.goto('/account');
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

test('a faulty configuration changes nothing and says every fault; a good one is checked, then applied', async () => {
  await admin.goto('/configuration');
  const text = admin.getByLabel('Document');
  await text.fill('rules:\n  - id: "has blanks"\n    text: x\nprofiles:\n  - name: review\n    agent: nobody');
  await admin.getByRole('button', { name: 'Check' }).click();
  await admin.getByText('Nothing was changed: 2 errors').waitFor();
  await admin.getByText('rules[0].id').waitFor();
  await admin.getByText('profiles[0].agent').waitFor();
  await text.fill('rules: [unclosed');
  await admin.getByRole('button', { name: 'Check' }).click();
  await admin.getByText('at line 1').waitFor();

  await text.fill('rules:\n  - id: house-style\n    text: Keep changes small.');
  await admin.getByRole('button', { name: 'Check' }).click();
  await admin.getByText('rules created: house-style').waitFor();
  expect((await service.api('GET', '/rules')).json.items).toEqual([]);
  await admin.getByRole('button', { name: 'Apply' }).click();
  await admin.getByText('Imported', { exact: true }).waitFor();
  await admin.getByRole('link', { name: 'Rules' }).click();
  await admin.getByRole('cell', { name: 'Keep changes small.' }).waitFor();
});

test('a deploy binding is created, said to miss something, completed and deleted', async () => {
  await admin.goto('/bindings');
  await admin.getByRole('button', { name: 'Create binding' }).first().click();
  await admin.getByLabel('Project').fill('shop');
  await admin.getByRole('radio', { name: 'Command' }).check();
  await admin.getByRole('button', { name: 'Create', exact: true }).click();
  await admin.getByText('The project “shop” does not exist.').waitFor();
  await admin.getByRole('button', { name: 'Create', exact: true }).click();
  await admin.getByText('Missing: command').waitFor();
  await admin.getByRole('button', { name: 'Edit custom' }).click();
  await admin.getByLabel('Command', { exact: true }).last().fill('make publish');
  await admin.getByRole('button', { name: 'Save' }).click();
  await admin.getByText('Ready').waitFor();
  await admin.getByRole('button', { name: 'Edit custom' }).click();
  const seconds = admin.getByLabel('Command timeout (seconds)');
  await seconds.fill('soon');
  await admin.getByRole('button', { name: 'Save' }).click();
  await admin.getByText('Enter a whole number from 1 to 3600.').waitFor();
  await seconds.fill('60');
  await admin.getByRole('button', { name: 'Save' }).click();
  await admin.getByRole('dialog').waitFor({ state: 'detached' });
  const [binding] = (await service.api('GET', '/deploy-bindings')).json.items;
  expect(binding).toMatchObject({ command: 'make publish', timeout_seconds: 60 });
  await admin.getByRole('button', { name: 'Delete custom' }).click();
  await admin.getByRole('button', { name: 'Delete binding' }).click();
  await admin.getByText('No bindings yet').waitFor();
});

test("a binding's secret is shown when it is made, and when it is made anew", async () => {
  await admin.goto('/bindings');
  await admin.getByRole('button', { name: 'Create binding' }).first().click();
  await admin.getByLabel('URL').fill('https://ci.example.com/hook');
  await admin.getByRole('button', { name: 'Create', exact: true }).click();
  const secret = admin.getByTestId('secret');
  const first = (await secret.textContent()) ?? '';
  await admin.getByRole('button', { name: 'I have saved it' }).click();
  await admin.getByRole('button', { name: 'Edit generic' }).click();
  await admin.getByRole('checkbox', { name: 'Generate a new secret' }).check();
  await admin.getByRole('button', { name: 'Save' }).click();
  await secret.waitFor();
  const second = (await secret.textContent()) ?? '';
  for (const each of [first, second]) expect(each).toMatch(/^whsec_[A-Za-z0-9+/=]{20,}$/);
  expect(second).not.toBe(first);
  await admin.getByRole('button', { name: 'I have saved it' }).click();
  expect(await admin.content()).not.toContain('whsec_');
});

test('the audit log is narrowed to who, what and which days', async () => {
  expect(await callFromPage(admin, 'POST', '/tokens', { name: 'audited' })).toBe(201);
  await admin.goto('/audit?action=tokens.create');
  await admin.getByRole('rowheader', { name: 'tokens.create' }).first().waitFor();
  expect(await admin.getByRole('rowheader', { name: 'auth.callback' }).count()).toBe(0);
  const today = new Date();
  const day = [today.getFullYear(), today.getMonth() + 1, today.getDate()].map((part) => String(part).padStart(2, '0'));
  await admin.getByRole('textbox', { name: 'First day' }).fill(day.join('/'));
  await admin.getByRole('button', { name: 'Filter', exact: true }).click();
  await admin.waitForURL(/since=/);
  await admin.getByRole('rowheader', { name: 'tokens.create' }).first().waitFor();
  await admin.getByRole('textbox', { name: 'First day' }).fill('');
  await admin.getByRole('textbox', { name: 'Last day' }).fill(`${today.getFullYear() - 1}/01/31`);
  await admin.getByRole('button', { name: 'Filter', exact: true }).click();
  await admin.getByText('No matching entries', { exact: true }).waitFor();
  await admin.getByRole('button', { name: 'Clear filters' }).click();
  await admin.getByRole('rowheader', { name: 'auth.callback' }).first().waitFor();
});

test("a project's settings are shown as they are, changed, and taken away by emptying them", async () => {
  await service.api('POST', '/jobs', { prompt: 'x', project: 'storefront', draft: true });
  const secret = 'GIT_TOKEN';
  await service.api('PATCH', '/projects/storefront', { repository: 'https://git.example.com/shop.git', secret });
  await admin.goto('/projects');
  await admin.getByRole('cell', { name: 'https://git.example.com/shop.git' }).waitFor();
  await admin.getByRole('button', { name: 'Settings of storefront' }).click();
  expect(await admin.getByLabel('Repository').inputValue()).toBe('https://git.example.com/shop.git');
  expect(await admin.getByLabel('Secret').inputValue()).toBe(secret);
  expect(await admin.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await admin.getByLabel('Branch, tag or commit').fill('main');
  await admin.getByLabel('Secret').fill('');
  await admin.getByLabel('Run one job per folder at a time').check();
  await admin.getByRole('button', { name: 'Save' }).click();
  await admin.getByRole('cell', { name: 'https://git.example.com/shop.git main' }).waitFor();
  const { items } = (await service.api('GET', '/projects')).json;
  expect(items.find(({ id }: { id: string }) => id === 'storefront')).toMatchObject({
    repository: 'https://git.example.com/shop.git',
    ref: 'main',
    setup: null,
    secret: null,
    exclusive_cwd: true,
  });
});

test('what was typed outlives a session that ends in between', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/configuration' });
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
});

test('a viewer is offered nothing that he may not do, and told why', async () => {
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/bindings' });
  await page.getByRole('heading', { name: 'Deploy bindings' }).waitFor();
  expect(await page.getByRole('button', { name: 'Create binding' }).count()).toBe(0);
  for (const path of ['/api-tokens', '/account', '/configuration', '/sessions']) {
    await page.goto(path);
    await page.getByText('This page is for admins').waitFor();
    await page.getByText('You are signed in as viewer').waitFor();
    expect(await page.locator('#main').getByRole('button').count()).toBe(0);
  }
});

test('an ended session has to sign in again, and whoever has no role is told so', async () => {
  const viewer = await openAs(browser, service.consoleUrl, 'viewer');
  await admin.goto('/sessions');
  const ends = admin.getByRole('button', { name: 'End the session of viewer@promptq.local' });
  await ends.first().waitFor();
  for (let left = await ends.count(); left > 0; left = await ends.count()) {
    await ends.first().click();
    await admin.getByRole('button', { name: 'End session', exact: true }).click();
    await expect.poll(() => ends.count()).toBeLessThan(left);
  }
  expect(await callFromPage(viewer, 'GET', '/session')).toBe(401);
  const stranger = await openAs(browser, service.consoleUrl, 'stranger');
  await stranger.getByText('You have no role here').waitFor();
});

async function statusWith(token: string): Promise<number> {
  return (await fetch(`${service.baseUrl}/api/v1/health`, { headers: { authorization: `Bearer ${token}` } })).status;
}

test('the pages of tokens say that scopes are not enforced, where they are not', async () => {
  await admin.goto('/api-tokens');
  await admin.getByText('Scopes are not enforced here: every token has full access.').waitFor();
  await admin.getByRole('button', { name: 'Create token' }).click();
  const dialog = admin.getByRole('dialog');
  const note = dialog.getByText('Scopes are not enforced here: this token has full access.');
  await note.waitFor();
  await dialog.getByLabel('Name').fill('unlimited');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await dialog.getByTestId('token').waitFor();
  await note.waitFor();
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
});
