import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob, untilEnded } from '../../api/job-client.ts';
import { type ServiceUnderTest, startService } from '../../local-service.ts';
import { axeViolations, loadAxe } from '../scenes/axe.ts';
import { launchBrowser, leave, openAs } from '../setup/browser.ts';

let service: ServiceUnderTest;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const open = async (path: string): Promise<Page> => await openAs(browser, service.consoleUrl, 'operator', { path });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const status = async (id: string) => (await service.api('GET', `/jobs/${id}/status`)).json;

/** Creates a job that fails until there is a file `ok` in the folder `cwd` of its project, and waits for its end. */
async function failed(title: string, project: string, cwd: string): Promise<string> {
  const id = await createJob(service, { prompt: 'test -e ok', profile: 'shell', title, project, cwd });
  expect((await untilEnded(service, id)).status).toBe('FAILED');
  return id;
}

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
  await leave(page);
});

test('a retry of jobs that had succeeded when they were selected says that it costs again', async () => {
  const id = await createJob(service, { prompt: 'true', profile: 'shell', title: 'paid', project: 'cost' });
  await untilEnded(service, id);
  const page = await open('/jobs?project=cost');
  await page.getByRole('checkbox', { name: 'Select paid' }).check();
  await button(page, 'Retry jobs').click();
  await page.getByText('1 job has succeeded. Another attempt costs tokens again').waitFor();
  await button(page, 'Retry 1 job').waitFor();
  await leave(page);
});

test('a bulk action waits until the selected jobs could be read again', async () => {
  await createJob(service, { prompt: 'true', title: 'unreadable', project: 'unread', draft: true });
  const page = await open('/jobs?project=unread');
  await page.getByRole('checkbox', { name: 'Select unreadable' }).check();
  await page.route('**/jobs/*/status', async (route) => {
    await route.fulfill({ status: 403, json: { error: 'forbidden' } });
  });
  await button(page, 'Cancel jobs').click();
  await page.getByText('Could not read the current state of the jobs').waitFor();
  expect(await button(page, 'Cancel jobs').last().isDisabled()).toBe(true);
  await page.unrouteAll();
  await button(page, 'Try again').click();
  await button(page, 'Cancel 1 job').waitFor();
  await leave(page);
});
