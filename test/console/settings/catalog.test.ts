import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';
import { press } from '../setup/keyboard.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const hasFocus = async (page: Page, label: string) =>
  await page.getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor();
const pressByKeyboard = async (page: Page, name: string) => await press(page, button(page, name));
test('a rule is created, edited and deleted by keyboard alone', async () => {
  const storedRule = async () =>
    (await service.api('GET', '/rules')).json.items.find(({ id }: { id: string }) => id === 'typed-rule');
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/rules' });
  await pressByKeyboard(page, 'Create rule');
  await hasFocus(page, 'ID');
  await page.keyboard.type('has blanks');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Enter 1 to 64 letters').first().waitFor();
  await hasFocus(page, 'ID');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('typed-rule');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Enter a value.').first().waitFor();
  await hasFocus(page, 'Text');
  await page.keyboard.type('Typed by hand.');
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog', { name: 'Create rule typed-rule?' });
  await dialog.getByText('Typed by hand.').waitFor();
  expect(await storedRule()).toBeUndefined();
  await pressByKeyboard(page, 'Create rule');
  await page.getByRole('cell', { name: 'Typed by hand.' }).waitFor();

  const row = page.getByRole('row').filter({ hasText: 'typed-rule' });
  await row.getByText(/^Saved/).waitFor();

  await pressByKeyboard(page, 'Edit typed-rule');
  await hasFocus(page, 'Name');
  await page.keyboard.type('How we type');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog', { name: 'Save rule typed-rule?' }).getByText('How we type').waitFor();
  await pressByKeyboard(page, 'Save rule');
  await page.getByRole('cell', { name: 'How we type' }).waitFor();
  expect(await storedRule()).toMatchObject({ name: 'How we type', text: 'Typed by hand.' });

  await pressByKeyboard(page, 'Delete typed-rule');
  await pressByKeyboard(page, 'Delete rule');
  await page.getByText('typed-rule', { exact: true }).waitFor({ state: 'detached' });
  await stay(page);
});

test('an unsaved rule survives a reload, and a taken ID is rejected at its field', async () => {
  await service.api('POST', '/config/import', { rules: [{ id: 'taken-id', text: 'Here before.' }] });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/rules/new' });
  await page.getByLabel('ID', { exact: true }).fill('taken-id');
  await page.getByLabel('Text', { exact: true }).fill('Something else.');
  await page.reload();
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('Something else.');
  await button(page, 'Review').click();
  await page.getByText('A rule “taken-id” already exists.').waitFor();
  await hasFocus(page, 'ID');
  await button(page, 'Discard').click();
  await page.getByRole('cell', { name: 'Here before.' }).waitFor();
  await visit(page, '/rules/new');
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('');
  await stay(page);
});

test('a profile is created with variables and secrets, edited without losing any, and deleted', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/profiles' });
  await button(page, 'Create profile').click();
  await hasFocus(page, 'Name');
  await page.getByLabel('Name', { exact: true }).fill('hand-made');
  await page.getByRole('radio', { name: 'shell' }).check();
  await page.getByLabel('Retries').fill('many');
  await page.getByLabel('Arguments').fill('--norc\n--noprofile');
  await button(page, 'Add variable').click();
  await page.getByRole('textbox', { name: 'Variable' }).fill('LD_PRELOAD');
  await page.getByRole('textbox', { name: 'Value or name' }).fill('/tmp/x.so');
  await button(page, 'Review').click();
  await page.getByText('set this variable').waitFor();
  await page.getByText('Enter a whole number from 0 to 100.').waitFor();
  await page.getByLabel('Retries').fill('2');
  await page.getByRole('textbox', { name: 'Variable' }).fill('STAGE');
  await page.getByRole('textbox', { name: 'Value or name' }).fill('production');
  await button(page, 'Add variable').click();
  await page.getByRole('textbox', { name: 'Variable' }).last().fill('DEPLOY_TOKEN');
  await page.getByRole('button', { name: 'Kind' }).last().click();
  await page.getByRole('option', { name: 'Secret' }).click();
  await page.getByRole('textbox', { name: 'Value or name' }).last().fill('SHIP_TOKEN');
  await button(page, 'Review').click();
  await button(page, 'Create profile').click();
  await page.getByRole('rowheader', { name: 'hand-made' }).waitFor();
  const find = async (name: string) =>
    (await service.api('GET', '/profiles')).json.items.find((one: { name: string }) => one.name === name);
  const made = {
    agent: 'shell',
    retries: 2,
    args: ['--norc', '--noprofile'],
    env: { STAGE: 'production', DEPLOY_TOKEN: { secret: 'SHIP_TOKEN' } },
    source: 'imported',
  };
  expect(await find('hand-made')).toMatchObject(made);

  await button(page, 'Edit hand-made').click();
  await page.getByLabel('Concurrency').fill('1');
  await button(page, 'Review').click();
  await page.getByRole('dialog').getByRole('region', { name: 'Concurrency' }).waitFor();
  await button(page, 'Save profile').click();
  await page.getByRole('rowheader', { name: 'hand-made' }).waitFor();
  expect(await find('hand-made')).toMatchObject({ ...made, concurrency: 1 });

  const { json } = await service.api('POST', '/jobs', { prompt: 'Ship it later', profile: 'hand-made', draft: true });
  await button(page, 'Delete hand-made').click();
  await page.getByRole('dialog').getByRole('link', { name: 'Ship it later' }).waitFor();
  await button(page, 'Delete profile').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await find('hand-made')).toBeUndefined();
  await service.api('POST', `/jobs/${json.id}/cancel`);
  await stay(page);
});

test('an edit keeps how the agent is driven, and changes the profiles of further jobs', async () => {
  const profile = { name: 'parent-of-jobs', agent: 'codex', drive: 'exec', children: ['codex'] };
  await service.api('POST', '/config/import', { profiles: [profile] });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/profiles/parent-of-jobs/edit' });
  const children = page.getByLabel('Profiles of started jobs');
  await children.waitFor();
  expect(await children.inputValue()).toBe('codex');
  await children.fill('codex, claude');
  await button(page, 'Review').click();
  await button(page, 'Save profile').click();
  await page.getByRole('rowheader', { name: 'parent-of-jobs' }).waitFor();
  const { items } = (await service.api('GET', '/profiles')).json;
  expect(items.find(({ name }: { name: string }) => name === 'parent-of-jobs')).toMatchObject({
    ...profile,
    children: ['codex', 'claude'],
  });
  await stay(page);
});

test('a built-in profile can be replaced but not deleted, and a concurrent change is not overwritten silently', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/profiles' });
  await page.getByRole('rowheader', { name: 'claude', exact: true }).waitFor();
  expect(await button(page, 'Delete claude').count()).toBe(0);
  await service.api('POST', '/config/import', { profiles: [{ name: 'edited-twice', agent: 'codex', model: 'first' }] });
  await visit(page, '/profiles/edited-twice/edit');
  await page.getByLabel('Model', { exact: true }).fill('mine');
  await service.api('POST', '/config/import', {
    profiles: [{ name: 'edited-twice', agent: 'codex', model: 'theirs' }],
  });
  await page.route(
    '**/api/v1/profiles',
    async (route) => await route.fulfill({ status: 403, json: { error: 'forbidden' } }),
  );
  await button(page, 'Review').click();
  await page.getByText('The profile was not saved').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.unroute('**/api/v1/profiles');
  await button(page, 'Review').click();
  await page.getByRole('dialog').getByText('Changed after you opened it').waitFor();
  await button(page, 'Back to editing').click();
  expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('mine');
  await stay(page);
});

test.each([
  ['operator', '/profiles', 'Create profile', 'Only admins can change profiles.'],
  ['viewer', '/bindings', 'Create binding', 'Only operators and admins can change deploy bindings.'],
] as const)('a %s on %s sees no “%s”, and the reason', async (role, path, action, why) => {
  const page = await openAs(browser, service.consoleUrl, role, { path });
  await page.getByText(`${why} You are signed in as ${role}.`).waitFor();
  expect(await page.locator('#main').getByRole('button', { name: action }).count()).toBe(0);
  await stay(page);
});
