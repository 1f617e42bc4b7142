import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../../local-service.ts';
import { launchBrowser, openAs } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  // As in the cloud, where containers have no user namespaces.
  service = await startService({ env: { PROMPTQ_SANDBOXES: 'none' } });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const hasFocus = async (page: Page, label: string) =>
  await page.getByLabel(label, { exact: true }).and(page.locator(':focus')).waitFor();
/** Moves on by keyboard alone until a control of this name has the focus, and presses it. */
async function pressByKeyboard(page: Page, name: string): Promise<void> {
  const focused = page.getByRole('button', { name, exact: true }).and(page.locator(':focus'));
  for (let left = 60; left > 0 && (await focused.count()) === 0; left -= 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
}
/** Draws as slowly as a busy machine, where a frame may pass before what has changed is shown. */
async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 20 });
}

test('a rule is written, edited and deleted by keyboard alone', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/rules' });
  await pressByKeyboard(page, 'Create rule');
  await hasFocus(page, 'ID');
  await page.keyboard.type('has blanks');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Enter 1 to 64 letters').waitFor();
  await hasFocus(page, 'ID');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('house-style');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Enter a value.').waitFor();
  await hasFocus(page, 'Text');
  await page.keyboard.type('Keep changes small.');
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog', { name: 'Create rule house-style?' });
  await dialog.getByText('Keep changes small.').waitFor();
  expect((await service.api('GET', '/rules')).json.items).toEqual([]);
  await pressByKeyboard(page, 'Create rule');
  await page.getByRole('cell', { name: 'Keep changes small.' }).waitFor();

  await page.getByText(/^Saved/).waitFor();

  await pressByKeyboard(page, 'Edit house-style');
  await hasFocus(page, 'Name');
  await page.keyboard.type('How we write');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog', { name: 'Save rule house-style?' }).getByText('How we write').waitFor();
  await pressByKeyboard(page, 'Save rule');
  await page.getByRole('cell', { name: 'How we write' }).waitFor();
  expect((await service.api('GET', '/rules')).json.items).toMatchObject([
    { id: 'house-style', name: 'How we write', text: 'Keep changes small.' },
  ]);

  await pressByKeyboard(page, 'Delete house-style');
  await pressByKeyboard(page, 'Delete rule');
  await page.getByText('No rules yet').waitFor();
  await page.context().close();
});

test('an unsaved rule outlives a reload, and an ID that is taken is refused at its field', async () => {
  await service.api('POST', '/config/import', { rules: [{ id: 'taken', text: 'Already here.' }] });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/rules/new' });
  await page.getByLabel('ID', { exact: true }).fill('taken');
  await page.getByLabel('Text', { exact: true }).fill('Something else.');
  await page.reload();
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('Something else.');
  await button(page, 'Review').click();
  await page.getByText('A rule “taken” already exists.').waitFor();
  await hasFocus(page, 'ID');
  await button(page, 'Discard').click();
  await page.getByRole('cell', { name: 'Already here.' }).waitFor();
  await page.goto('/rules/new');
  expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('');
  await page.context().close();
});

test('deleting a rule names the jobs that would fail for it', async () => {
  await service.api('POST', '/config/import', { rules: [{ id: 'asked-for', text: 'Be brief.' }] });
  const { json } = await service.api('POST', '/jobs', {
    prompt: 'Draft with a rule',
    rule_ids: ['asked-for'],
    draft: true,
  });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/rules' });
  await button(page, 'Delete asked-for').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('link', { name: 'Draft with a rule' }).waitFor();
  await button(page, 'Cancel').click();
  await service.api('POST', `/jobs/${json.id}/cancel`);
  await page.context().close();
});

test('a profile is made from its form, with variables and secrets, then edited, kept whole and deleted', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/profiles' });
  await button(page, 'Create profile').click();
  await hasFocus(page, 'Name');
  await page.getByLabel('Name', { exact: true }).fill('ship');
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
  await page.getByRole('rowheader', { name: 'ship' }).waitFor();
  const find = async (name: string) =>
    (await service.api('GET', '/profiles')).json.items.find((one: { name: string }) => one.name === name);
  const made = {
    agent: 'shell',
    retries: 2,
    args: ['--norc', '--noprofile'],
    env: { STAGE: 'production', DEPLOY_TOKEN: { secret: 'SHIP_TOKEN' } },
    source: 'imported',
  };
  expect(await find('ship')).toMatchObject(made);

  await button(page, 'Edit ship').click();
  await page.getByLabel('Concurrency').fill('1');
  await button(page, 'Review').click();
  await page.getByRole('dialog').getByRole('region', { name: 'Concurrency' }).waitFor();
  await button(page, 'Save profile').click();
  await page.getByRole('rowheader', { name: 'ship' }).waitFor();
  expect(await find('ship')).toMatchObject({ ...made, concurrency: 1 });

  const { json } = await service.api('POST', '/jobs', { prompt: 'Ship it later', profile: 'ship', draft: true });
  await button(page, 'Delete ship').click();
  await page.getByRole('dialog').getByRole('link', { name: 'Ship it later' }).waitFor();
  await button(page, 'Delete profile').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await find('ship')).toBeUndefined();
  await service.api('POST', `/jobs/${json.id}/cancel`);
  await page.context().close();
});

test('what is built in is replaced and not deleted, and somebody else’s change is not overwritten unseen', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/profiles' });
  await page.getByRole('rowheader', { name: 'claude' }).waitFor();
  expect(await button(page, 'Delete claude').count()).toBe(0);
  await service.api('POST', '/config/import', { profiles: [{ name: 'review', agent: 'codex', model: 'first' }] });
  await page.goto('/profiles/review/edit');
  await page.getByLabel('Model', { exact: true }).fill('mine');
  await service.api('POST', '/config/import', { profiles: [{ name: 'review', agent: 'codex', model: 'theirs' }] });
  await button(page, 'Review').click();
  await page.getByRole('dialog').getByText('Changed after you opened it').waitFor();
  await button(page, 'Back to editing').click();
  expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('mine');
  await page.context().close();
});

test('a mistyped project of a binding is met with the one that was meant', async () => {
  await service.api('POST', '/jobs', { prompt: 'x', profile: 'shell', project: 'storefront', draft: true });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/bindings' });
  await button(page, 'Create binding').first().click();
  await page.getByLabel('Project').fill('storefrnt');
  await page.getByLabel('URL').fill('https://example.com/hook');
  await button(page, 'Create').click();
  await page.getByText('The project “storefrnt” does not exist. Did you mean “storefront”?').waitFor();
  await button(page, 'Use “storefront”').click();
  await button(page, 'Create').click();
  await button(page, 'I have saved it').click();
  const { json } = await service.api('GET', '/deploy-bindings');
  expect(json.items).toEqual([expect.objectContaining({ project: 'storefront' })]);
  await service.api('DELETE', `/deploy-bindings/${json.items[0].id}`);
  await page.context().close();
});

test('an empty project is deleted; of one that is not empty it is said why', async () => {
  const { json: job } = await service.api('POST', '/jobs', { prompt: 'x', project: 'in use', draft: true });
  const binding = { binding_mode: 'custom', project: 'in use', name: 'one', command: 'true' };
  const { json: bound } = await service.api('POST', '/deploy-bindings', binding);
  const { json: empty } = await service.api('POST', '/deploy-bindings', { ...binding, project: 'storefrnt' });
  const counted = async () => (await service.api('GET', '/projects')).json.items;
  await waitFor(async () =>
    (await counted()).some((one: { job_counts: { DRAFT: number } }) => one.job_counts.DRAFT > 0),
  );
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/projects' });
  await button(page, 'Delete in use').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 job and 1 deploy binding').waitFor();
  expect(await button(page, 'Delete project').count()).toBe(0);
  await button(page, 'OK').click();
  await button(page, 'Delete storefrnt').click();
  await dialog.getByText('1 deploy binding').waitFor();
  await button(page, 'OK').click();
  await service.api('DELETE', `/deploy-bindings/${empty.id}`);
  await button(page, 'Delete storefrnt').click();
  await button(page, 'Delete project').click();
  await page.getByRole('rowheader', { name: 'storefrnt' }).waitFor({ state: 'detached' });
  expect((await counted()).map(({ name }: { name: string }) => name)).not.toContain('storefrnt');
  await service.api('DELETE', `/deploy-bindings/${bound.id}`);
  await service.api('POST', `/jobs/${job.id}/cancel`);
  await page.context().close();
});

test.each([
  ['viewer', '/rules', 'Create rule', 'Only admins can change rules.'],
  ['operator', '/profiles', 'Create profile', 'Only admins can change profiles.'],
  ['viewer', '/bindings', 'Create binding', 'Only operators and admins can change deploy bindings.'],
  ['viewer', '/projects', 'Settings', 'Only operators and admins can change projects.'],
] as const)('a %s sees on %s no %s, and why', async (role, path, action, why) => {
  const page = await openAs(browser, service.consoleUrl, role, { path });
  await page.getByText(`${why} You are signed in as ${role}.`).waitFor();
  expect(await page.locator('#main').getByRole('button', { name: action }).count()).toBe(0);
  await page.context().close();
});

test('the forms of rules and profiles are for admins', async () => {
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/rules/new' });
  await page.getByText('This page is for admins').waitFor();
  await page.goto('/profiles/codex/edit');
  await page.getByText('This page is for admins').waitFor();
  await page.context().close();
});

test('a session is listed with its browser and address, and one’s own is marked', async () => {
  const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:151.0) Gecko/20100101 Firefox/151.0';
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/sessions', context: { userAgent } });
  const row = page.getByRole('row').filter({ hasText: 'this session' });
  await row.getByText('Firefox on Linux').waitFor();
  await row.getByText('127.0.0.1').waitFor();
  await row.getByText(/^in \d+ hr/).waitFor();
  await page.context().close();
});

test('what a binding lacks is named as its form names it', async () => {
  const { json } = await service.api('POST', '/deploy-bindings', { binding_mode: 'generic', project: 'handbook' });
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: '/bindings' });
  await page.getByText('Missing: URL').waitFor();
  await service.api('DELETE', `/deploy-bindings/${json.id}`);
  await page.context().close();
});

test('what only the service can refuse of a profile stands at its field', async () => {
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/profiles/new' });
  await slowDown(page);
  await page.getByLabel('Name', { exact: true }).fill('boxed');
  await page.getByRole('radio', { name: 'read-only' }).check();
  await button(page, 'Review').click();
  await page.getByText('need user namespaces').first().waitFor();
  await page.getByRole('radio', { name: 'read-only' }).and(page.locator(':focus')).waitFor();
  expect(await page.getByText('profiles[0]').count()).toBe(0);
  await page.getByRole('radio', { name: 'none', exact: true }).check();
  await button(page, 'Review').click();
  await button(page, 'Back to editing').click();
  await button(page, 'Discard').click();
  await page.context().close();
});
