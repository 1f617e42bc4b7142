import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { openAs, sharedBrowser, stay, visit } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;
let admin: Page;

beforeAll(async () => {
  browser = await sharedBrowser();
  service = await sharedService();
  admin = await openAs(browser, service.consoleUrl, 'admin');
});
afterAll(async () => await stay(admin));

// biome-ignore lint/suspicious/noExplicitAny: tests read responses freely
const bindingsOf = async (project: string): Promise<any[]> =>
  (await service.api('GET', `/deploy-bindings?project=${project}`)).json.items;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a deploy binding is created incomplete, completed and deleted', async () => {
  await visit(admin, '/bindings');
  await admin.getByRole('button', { name: 'Create binding' }).first().click();
  await admin.getByLabel('Project').fill('bakery');
  await admin.getByRole('radio', { name: 'Command' }).check();
  await admin.getByRole('button', { name: 'Create', exact: true }).click();
  await admin.getByText('The project “bakery” does not exist.').waitFor();
  await admin.getByRole('button', { name: 'Create', exact: true }).click();
  const row = admin.getByRole('row').filter({ hasText: 'bakery' });
  await row.getByText('Missing: command').waitFor();
  await row.getByRole('button', { name: 'Edit custom' }).click();
  await admin.getByLabel('Command', { exact: true }).last().fill('make publish');
  await admin.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Ready').waitFor();
  await row.getByRole('button', { name: 'Edit custom' }).click();
  const seconds = admin.getByLabel('Command timeout (seconds)');
  await seconds.fill('soon');
  await admin.getByRole('button', { name: 'Save' }).click();
  await admin.getByText('Enter a whole number from 1 to 3600.').waitFor();
  await seconds.fill('60');
  await admin.getByRole('button', { name: 'Save' }).click();
  await admin.getByRole('dialog').waitFor({ state: 'detached' });
  const [binding] = await bindingsOf('bakery');
  expect(binding).toMatchObject({ command: 'make publish', timeout_seconds: 60 });
  await row.getByRole('button', { name: 'Delete custom' }).click();
  await admin.getByRole('button', { name: 'Delete binding' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await bindingsOf('bakery')).toEqual([]);
});

test("a binding's secret is shown once when it is generated, and once when it is renewed", async () => {
  await service.api('POST', '/jobs', { prompt: 'x', project: 'shown once', draft: true });
  await visit(admin, '/bindings');
  await admin.getByRole('button', { name: 'Create binding' }).first().click();
  await admin.getByLabel('Project').fill('shown once');
  await admin.getByLabel('URL').fill('https://ci.example.com/hook');
  await admin.getByRole('button', { name: 'Create', exact: true }).click();
  const secret = admin.getByTestId('secret');
  const first = (await secret.textContent()) ?? '';
  await admin.getByRole('button', { name: 'I have saved it' }).click();
  await admin.getByRole('row').filter({ hasText: 'shown once' }).getByRole('button', { name: 'Edit generic' }).click();
  await admin.getByRole('checkbox', { name: 'Generate a new secret' }).check();
  await admin.getByRole('button', { name: 'Save' }).click();
  await secret.waitFor();
  const second = (await secret.textContent()) ?? '';
  for (const each of [first, second]) expect(each).toMatch(/^whsec_[A-Za-z0-9+/=]{20,}$/);
  expect(second).not.toBe(first);
  await admin.getByRole('button', { name: 'I have saved it' }).click();
  expect(await admin.content()).not.toContain('whsec_');
});

test("a project's settings are shown, changed, and removed by emptying them", async () => {
  await service.api('POST', '/jobs', { prompt: 'x', project: 'greenhouse', draft: true });
  const secret = 'GIT_TOKEN';
  await service.api('PATCH', '/projects/greenhouse', { repository: 'https://git.example.com/plants.git', secret });
  await visit(admin, '/projects');
  await admin.getByRole('cell', { name: 'https://git.example.com/plants.git' }).waitFor();
  await admin.getByRole('button', { name: 'Settings of greenhouse' }).click();
  expect(await admin.getByLabel('Repository').inputValue()).toBe('https://git.example.com/plants.git');
  expect(await admin.getByLabel('Secret').inputValue()).toBe(secret);
  expect(await admin.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await admin.getByLabel('Branch, tag or commit').fill('main');
  await admin.getByLabel('Secret').fill('');
  await admin.getByLabel('Run one job per folder at a time').check();
  await admin.getByRole('button', { name: 'Save' }).click();
  await admin.getByRole('cell', { name: 'https://git.example.com/plants.git main' }).waitFor();
  const { items } = (await service.api('GET', '/projects')).json;
  expect(items.find(({ id }: { id: string }) => id === 'greenhouse')).toMatchObject({
    repository: 'https://git.example.com/plants.git',
    ref: 'main',
    setup: null,
    secret: null,
    exclusive_cwd: true,
  });
});

test("a project's parameters are set, changed, removed and set again, but no secret", async () => {
  await service.api('POST', '/jobs', { prompt: 'x', project: 'orchard', draft: true });
  const stored = async () =>
    (await service.api('GET', '/parameters?project=orchard')).json.items.map(
      ({ name, value, description }: Record<string, string>) => [name, value, description],
    );
  await visit(admin, '/projects');
  await button(admin, 'Parameters of orchard').click();
  const dialog = admin.getByRole('dialog');
  await dialog.getByText('The project has no parameters.').waitFor();
  await dialog.getByLabel('Name').fill('API Key');
  await dialog.getByLabel('Value').fill('abc');
  await button(admin, 'Set parameter').click();
  await dialog.getByText('Enter 1 to 64 of a-z, 0-9 and _, a letter first.').waitFor();
  await dialog.getByLabel('Name').fill('api_key');
  await button(admin, 'Set parameter').click();
  await dialog.getByText('"api_key" names a secret').waitFor();
  await dialog.getByLabel('Name').fill('region');
  await dialog.getByLabel('Value').fill('<b>eu</b>');
  await dialog.getByLabel('Description').fill('Where it grows.');
  await button(admin, 'Set parameter').click();
  await dialog.getByText('PROMPTQ_PARAM_REGION').waitFor();
  expect(await stored()).toEqual([['region', '<b>eu</b>', 'Where it grows.']]);
  await button(admin, 'Edit region').click();
  await dialog.getByLabel('Value').fill('us');
  await dialog.getByLabel('Description').fill('');
  await button(admin, 'Save').click();
  // Not in the field, which has it before it is saved.
  await dialog.locator('pre').getByText('us', { exact: true }).waitFor();
  expect(await stored()).toEqual([['region', 'us', null]]);
  await button(admin, 'Remove region').click();
  await dialog.getByText('region was removed.').waitFor();
  expect(await stored()).toEqual([]);
  await button(admin, 'Set parameter').click();
  await dialog.getByText('PROMPTQ_PARAM_REGION').waitFor();
  expect(await stored()).toEqual([['region', 'us', null]]);
  await button(admin, 'Close').last().click();
  await dialog.waitFor({ state: 'detached' });
});

test('a binding with a mistyped project is offered the existing one', async () => {
  await service.api('POST', '/jobs', { prompt: 'x', profile: 'shell', project: 'greenhouse', draft: true });
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/bindings' });
  await button(page, 'Create binding').first().click();
  await page.getByLabel('Project').fill('greenhuose');
  await page.getByLabel('URL').fill('https://example.com/hook');
  await button(page, 'Create').click();
  await page.getByText('The project “greenhuose” does not exist. Did you mean “greenhouse”?').waitFor();
  await button(page, 'Use “greenhouse”').click();
  await button(page, 'Create').click();
  await button(page, 'I have saved it').click();
  const { json } = await service.api('GET', '/deploy-bindings');
  const projects = json.items.map(({ project }: { project: string }) => project);
  expect(projects).toContain('greenhouse');
  expect(projects).not.toContain('greenhuose');
  await stay(page);
});

test('an empty project is deleted, and a dialog lists the contents of another one', async () => {
  const { json: job } = await service.api('POST', '/jobs', { prompt: 'x', project: 'in daily use', draft: true });
  const binding = { binding_mode: 'custom', project: 'in daily use', name: 'one', command: 'true' };
  const { json: bound } = await service.api('POST', '/deploy-bindings', binding);
  const { json: empty } = await service.api('POST', '/deploy-bindings', { ...binding, project: 'greenhuose' });
  const counted = async () => (await service.api('GET', '/projects')).json.items;
  await waitFor(async () =>
    (await counted()).some(({ name, job_counts }: { name: string; job_counts: { DRAFT: number } }) => {
      return name === 'in daily use' && job_counts.DRAFT > 0;
    }),
  );
  const page = await openAs(browser, service.consoleUrl, 'admin', { path: '/projects' });
  await button(page, 'Delete in daily use').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 job and 1 deploy binding').waitFor();
  expect(await button(page, 'Delete project').count()).toBe(0);
  await button(page, 'OK').click();
  await button(page, 'Delete greenhuose').click();
  await dialog.getByText('1 deploy binding').waitFor();
  await button(page, 'OK').click();
  await service.api('DELETE', `/deploy-bindings/${empty.id}`);
  const rejection = { status: 403, json: { error: 'forbidden' } };
  await page.route('**/api/v1/deploy-bindings', async (route) => await route.fulfill(rejection));
  await button(page, 'Delete greenhuose').click();
  await dialog.getByText('Its deploy bindings could not be read').waitFor();
  expect(await dialog.getByText('no deploy bindings').count()).toBe(0);
  await page.unroute('**/api/v1/deploy-bindings');
  await button(page, 'Delete project').click();
  await page.getByRole('rowheader', { name: 'greenhuose' }).waitFor({ state: 'detached' });
  expect((await counted()).map(({ name }: { name: string }) => name)).not.toContain('greenhuose');
  await service.api('DELETE', `/deploy-bindings/${bound.id}`);
  await service.api('POST', `/jobs/${job.id}/cancel`);
  await stay(page);
});
