import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../local-run/local-service.ts';
import { sharedService } from '../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from './setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first();
const field = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true });

async function review(page: Page, save: string): Promise<void> {
  await button(page, 'Review').click();
  await page.getByRole('dialog').getByRole('button', { name: save }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

test('an admin writes a template, and runs it, compares its versions and deletes it', async () => {
  const name = `console-upgrade-${Date.now()}`;
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/templates' });
  await page.getByRole('button', { name: 'Create template' }).first().click();

  // A faulty template is not sent.
  await field(page, 'Name').first().fill(name);
  await field(page, 'Prompt').fill('Upgrade {{package}} to {{major}}');
  await button(page, 'Add parameter').click();
  await field(page, 'Name').nth(1).fill('Package');
  await button(page, 'Review').click();
  await page.getByText('Enter 1 to').waitFor();
  await field(page, 'Name').nth(1).fill('package');
  await field(page, 'Description').nth(1).fill('As in the manifest');
  await button(page, 'Review').click();
  await page.getByText('There is no parameter major').waitFor();
  await field(page, 'Prompt').fill('Upgrade {{package}}');
  await review(page, 'Create template');
  await page.getByRole('link', { name, exact: true }).click();
  await heading(page, name).waitFor();

  // A second version, with a number.
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await field(page, 'Prompt').fill('Upgrade {{package}}\nto {{major}}');
  await button(page, 'Add parameter').click();
  await field(page, 'Name').nth(1).fill('major');
  await page.getByRole('button', { name: /^Type/ }).nth(1).click();
  await page.getByRole('option', { name: /^Number/ }).click();
  await field(page, 'Default').nth(1).fill('4');
  await review(page, 'Save template');
  await visit(page, `/templates/${name}?version=2&with=1`);
  const compared = page.getByRole('region', { name: 'Prompt' });
  await compared.waitFor();
  expect(await compared.textContent()).toContain('Added: to {{major}}');
  const stored = (await service.api('GET', `/templates/${name}`)).json;
  expect(stored).toMatchObject({ version: 2, parameters: [{ name: 'package' }, { name: 'major', default: 4 }] });

  // The form refuses what the service refuses, and a value is text whatever it contains.
  await visit(page, `/templates/${name}/run`);
  await button(page, 'Queue job').click();
  await page.getByText('Check package.').waitFor();
  await field(page, 'package').fill('<b>{{major}}</b>');
  await field(page, 'major - optional').fill('five');
  await button(page, 'Preview').click();
  await page.getByText('Enter a number.').waitFor();
  await field(page, 'major - optional').fill('5');
  await button(page, 'Preview').click();
  await page.getByText('Upgrade <b>{{major}}</b>\nto 5').waitFor();
  await button(page, 'Save as draft').click();
  await page.getByText('Run with other values').waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const template = { name, version: 2, parameters: { package: '<b>{{major}}</b>', major: 5 } };
  expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({ template, status: 'DRAFT' });

  // From the job back to the form, to the version, and to the jobs of the template.
  await page.getByRole('link', { name: 'Run with other values' }).click();
  await expect.poll(() => field(page, 'package').inputValue()).toBe('<b>{{major}}</b>');
  await visit(page, `/jobs?template=${name}`);
  await page.getByText(`Template: ${name}`).waitFor();
  await page.locator(`a[href^="/jobs/${id}"]`).first().waitFor();
  await visit(page, '/jobs/new');
  await page.getByRole('button', { name: 'Use a template' }).click();
  await page.getByRole('menuitem', { name }).click();
  await heading(page, `Run template ${name}`).waitFor();

  // Its versions stay after its deletion.
  await visit(page, `/templates/${name}`);
  await button(page, 'Delete').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
  await page.waitForURL('**/templates');
  await visit(page, `/templates/${name}?version=1`);
  await heading(page, 'This template was deleted').or(page.getByText('This template was deleted')).first().waitFor();
  expect(await page.getByRole('link', { name: 'Run template' }).count()).toBe(0);
  await stay(page);
});

test('a viewer reads templates and previews them, and is not asked to change or run them', async () => {
  const name = `console-viewed-${Date.now()}`;
  const parameters = [{ name: 'topic', type: 'string' }];
  await service.api('PUT', `/templates/${name}`, { prompt: 'Explain {{topic}}', parameters });
  const page = await openAs(browser, service.consoleUrl, 'viewer', { path: `/templates/${name}` });
  await page.getByText('Explain {{topic}}').waitFor();
  for (const action of ['Edit', 'Run template']) expect(await page.getByRole('link', { name: action }).count()).toBe(0);
  expect(await button(page, 'Delete').count()).toBe(0);
  await visit(page, `/templates/${name}/run`);
  await field(page, 'topic').fill('queues');
  await button(page, 'Preview').click();
  await page.getByText('Explain queues').waitFor();
  expect(await button(page, 'Queue job').count()).toBe(0);
  await visit(page, `/templates/${name}/edit`);
  await page.getByText('This page is for admins').waitFor();
  await stay(page);
});
