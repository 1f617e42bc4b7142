import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../../api/job-client.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { axeViolations, loadAxe } from '../scenes/axe.ts';
import { openAs, sharedBrowser, stay } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  // Sequential, because each takes all cores for a while.
  browser = await sharedBrowser();
  service = await sharedService();
});

/** @param page its text is part of the error if the job does not reach the status */
async function reached(id: string, status: string, page?: Page): Promise<void> {
  const read = async () => (await service.api('GET', `/jobs/${id}`)).json;
  await waitFor(async () => (await read()).status === status).catch(async (cause: unknown) => {
    const shown = (await page?.locator('body').innerText()) ?? '';
    throw new Error(`${status} was not reached: ${JSON.stringify(await read())}\n${shown}`, { cause });
  });
}

async function open(path: string): Promise<Page> {
  return await openAs(browser, service.consoleUrl, 'operator', { path });
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const status = async (id: string) => (await service.api('GET', `/jobs/${id}/status`)).json;

/** Creates a job that fails until there is a file `ok` in the folder `cwd` of its project, and waits for its end. */
async function failed(title: string, project: string, cwd: string): Promise<string> {
  const id = await createJob(service, { prompt: 'test -e ok', profile: 'shell', title, project, cwd });
  expect((await untilEnded(service, id)).status).toBe('FAILED');
  return id;
}

test('a job is created in the form, followed live, cancelled and retried', async () => {
  const page = await open('/jobs/new');
  await page.getByLabel('Prompt', { exact: true }).fill('echo up and running; while :; do sleep 0.2; done');
  await page.getByLabel('Retries').fill('101');
  await button(page, 'Queue job').click();
  await page.getByText('Enter at most 100.').waitFor();
  await page.getByLabel('Retries').fill('0');
  await page.getByRole('button', { name: 'Profile' }).click();
  await page.getByRole('option', { name: 'shell' }).first().waitFor();
  expect(await page.getByText('Loading the profiles').count()).toBe(0);
  await page.getByRole('option', { name: /^shell/ }).click();
  await button(page, 'Queue job').click();
  await page.waitForURL(/\/jobs\/job_/);
  const id = page.url().split('/').at(-1) ?? '';
  await reached(id, 'RUNNING');
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.locator('.job-log').getByText('up and running').first().waitFor();

  await button(page, 'Cancel job').click();
  // A local run is reachable without a network.
  await page.evaluate("window.dispatchEvent(new Event('offline'))");
  await button(page, 'Cancel this job').click();
  await reached(id, 'CANCELLED', page);
  await button(page, 'Retry').click();
  await waitFor(async () => (await service.api('GET', `/jobs/${id}`)).json.attempt === 2);
  await page.getByText('Attempt 2', { exact: true }).first().waitFor();
  await service.api('POST', `/jobs/${id}/kill`);
  await stay(page);
});

test('an edit shows its changes before it is saved, and sends only those', async () => {
  // The job waits for the vendor, so no worker claims it.
  const id = await createJob(service, { prompt: 'drill: usage-limit\nkeep this\ndrop this', project: 'edits' });
  await waitFor(async () => (await service.api('GET', `/jobs/${id}`)).json.state_reason.code === 'usage_limit');
  const page = await open(`/jobs/${id}/edit`);
  await page.getByLabel('Prompt', { exact: true }).fill('drill: usage-limit\nkeep this\nput this');
  await page.getByLabel('Priority').fill('7');
  await service.api('PATCH', `/jobs/${id}`, { retries: 3 });
  await button(page, 'Review and save').click();
  const dialog = page.getByRole('dialog');
  expect((await dialog.locator('.line-diff-removed').allInnerTexts()).join('|')).toContain('drop this');
  expect((await dialog.locator('.line-diff-added').allInnerTexts()).join('|')).toContain('put this');
  expect(await dialog.locator('.line-diff-same').allInnerTexts()).toEqual([
    expect.stringContaining('drill: usage-limit'),
    expect.stringContaining('keep this'),
  ]);
  await button(page, 'Save').click();
  await page.waitForURL(new RegExp(`/jobs/${id}$`));
  const { json } = await service.api('GET', `/jobs/${id}`);
  expect(json).toMatchObject({ prompt: 'drill: usage-limit\nkeep this\nput this', priority: 7, retries: 3 });
  await service.api('POST', `/jobs/${id}/cancel`);
  await stay(page);
});

test('selected jobs are read again before a bulk action: those that have succeeded since or were deleted are skipped', async () => {
  const project = 'again';
  const retried = await failed('retried by a colleague', project, 'one');
  const left = await failed('still failed', project, 'two');
  const deleted = await failed('deleted meanwhile', project, 'three');
  const page = await open(`/jobs?project=${project}&status=FAILED`);
  for (const name of ['retried by a colleague', 'still failed', 'deleted meanwhile'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await writeFile(join(service.home, 'workspaces', project, 'one/ok'), '');
  await service.api('POST', `/jobs/${retried}/retry`);
  expect(await untilEnded(service, retried)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  await page.getByRole('link', { name: 'retried by a colleague' }).waitFor({ state: 'detached' });
  await page.route(`**/jobs/${deleted}/status`, async (route) => {
    await route.fulfill({ status: 404, json: { error: 'job_not_found' } });
  });

  await button(page, 'Retry jobs').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This affects 1 of 3 jobs. 2 jobs changed after the selection.').waitFor();
  const skipped = dialog.getByRole('region', { name: 'Skipped' }).getByRole('row');
  const row = (name: string) => skipped.filter({ hasText: name }).getByRole('cell').allInnerTexts();
  expect(await row('retried by a colleague')).toEqual([
    expect.stringMatching(/^Succeeded\s+Was failed$/),
    'It has succeeded since it was selected',
  ]);
  expect(await row('deleted meanwhile')).toEqual(['Deleted', 'It was deleted']);
  await loadAxe(page);
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Retry 1 job', exact: true }).click();
  await dialog.getByText('1 job accepted').waitFor();
  expect(await untilEnded(service, left)).toMatchObject({ status: 'FAILED', attempt: 2 });
  expect(await status(retried)).toMatchObject({ attempt: 2 });
  await stay(page);
});
