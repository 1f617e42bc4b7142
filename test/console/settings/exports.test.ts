import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../../api/job-client.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
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

test('what the list of jobs shows is exported, downloaded and deleted', async () => {
  const body = { project: 'exported by console', profile: 'shell', draft: true };
  const ids = [];
  for (const title of ['one', 'two, "three"']) ids.push(await createJob(service, { ...body, title, prompt: 'true' }));
  await createJob(service, { ...body, project: 'another', prompt: 'true' });
  const project = (await service.api('GET', `/jobs/${ids[0]}`)).json.project_id;
  // Lists show a job about a second after its creation.
  await expect
    .poll(async () => (await service.api('GET', `/jobs?project=${project}`)).json.total, { timeout: 20_000 })
    .toBe(2);
  await visit(admin, `/jobs?project=${project}`);
  await admin.getByRole('button', { name: 'Export these jobs' }).click();
  const dialog = admin.getByRole('dialog', { name: 'New export' });
  expect(await dialog.getByLabel('Project', { exact: true }).inputValue()).toBe(project);
  await dialog.getByRole('button', { name: 'Start export' }).click();
  const row = admin.getByRole('row').filter({ hasText: `Project: ${project}` });
  await row.getByText('Done: 2 rows').waitFor();
  const [file] = await Promise.all([
    admin.waitForEvent('download'),
    row.getByRole('button', { name: /as JSON Lines$/ }).click(),
  ]);
  const lines = (await text(await file.createReadStream())).trim().split('\n');
  const exported = lines.map((line): Record<string, unknown> => JSON.parse(line));
  expect(exported.map(({ id, title }) => [id, title])).toEqual([
    [ids[0], 'one'],
    [ids[1], 'two, "three"'],
  ]);
  const [table] = await Promise.all([
    admin.waitForEvent('download'),
    row.getByRole('button', { name: /^Download .*Z$/ }).click(),
  ]);
  expect(await text(await table.createReadStream())).toContain('"two, ""three"""');
  await row.getByRole('button', { name: /^Delete Jobs/ }).click();
  await admin.getByRole('button', { name: 'Delete export' }).click();
  await row.waitFor({ state: 'detached' });
});

test('a filter that the service rejects is explained in the form', async () => {
  await visit(admin, '/exports?new=jobs&created_after=yesterday');
  const dialog = admin.getByRole('dialog', { name: 'New export' });
  await dialog.getByRole('button', { name: 'Start export' }).click();
  await dialog.getByText('The export was not started').waitFor();
  expect(await dialog.innerText()).toContain('created_after');
  await dialog.getByRole('button', { name: 'Remove the filter Created after' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
});

test('a viewer sees exports and starts none', async () => {
  const viewer = await openAs(browser, service.consoleUrl, 'viewer');
  try {
    await visit(viewer, '/exports?new=jobs');
    await viewer.getByRole('heading', { name: /^Exports/ }).waitFor();
    await viewer.getByRole('table', { name: 'Exports' }).waitFor();
    expect(await viewer.getByRole('button', { name: 'New export' }).count()).toBe(0);
    expect(await viewer.getByRole('dialog').count()).toBe(0);
  } finally {
    await viewer.context().close();
  }
});
