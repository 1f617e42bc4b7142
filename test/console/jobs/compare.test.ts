import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../../api/job-client.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { openAs, sharedBrowser, visit } from '../setup/browser.ts';

const WIDE = { width: 1440, height: 900 };

let service: ServiceUnderTest;
let repository: GitServer;
let browser: Browser;
/** Signed in as operator. */
let page: Page;
/** Two jobs that changed a repository. */
let [one, other] = ['', ''];
/** A job whose first attempt failed, and whose second succeeded. */
let retried: string;

beforeAll(async () => {
  // Sequential, because each takes all cores for a while.
  browser = await sharedBrowser();
  service = await sharedService();
  repository = await startGitServer();
  await repository.commit({ 'both.txt': 'first\nsecond\n', 'gone.txt': 'gone\n' });
  const profiles = [{ name: 'fast', agent: 'codex', model: 'quick-model' }];
  await service.api('POST', '/config/import', { profiles });
  await service.api('POST', '/jobs', { project: 'compared', prompt: 'true', draft: true });
  await service.api('PATCH', '/projects/compared', { repository: repository.url });
  const script = { project: 'compared', profile: 'shell' };
  one = await ended({ ...script, prompt: 'echo 1 > same.txt; rm gone.txt\necho one > both.txt' });
  other = await ended({ ...script, prompt: 'echo 1 > same.txt; echo x > new.txt\necho two > both.txt', priority: 5 });
  retried = await ended({ profile: 'shell', cwd: 'twice', prompt: '[ -e done ] || { touch done; exit 7; }' });
  await service.api('POST', `/jobs/${retried}/retry`);
  await untilEnded(retried);
  const permissions = ['clipboard-read', 'clipboard-write'];
  page = await openAs(browser, service.consoleUrl, 'operator', {
    context: { viewport: WIDE, permissions, reducedMotion: 'reduce' },
  });
});

afterAll(async () => {
  await repository?.close();
});

const create = async (fields: Record<string, unknown>) => await createJob(service, fields);

async function untilEnded(id: string): Promise<void> {
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/status?wait=20`)).json.terminal);
}

async function ended(fields: Record<string, unknown>): Promise<string> {
  const id = await create(fields);
  await untilEnded(id);
  return id;
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const same = (title: string) => page.getByRole('region', { name: `${title}: the same` });
/** The cells of a different row. */
const differing = (title: string, label: string) =>
  page
    .getByRole('table', { name: `${title}: different` })
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: label, exact: true }) })
    .getByRole('cell');
const file = (path: string) => page.getByRole('region', { name: path, exact: true });

test('a comparison shows settings, prompt and changes: equal ones first, then each difference', async () => {
  await visit(page, `/compare?a=${one}&b=${other}`);
  await same('Settings').getByText('compared').waitFor();
  await same('Outcome').getByText('Succeeded').waitFor();
  expect(await differing('Settings', 'Priority').allTextContents()).toEqual(['0', '5', '≠ Different']);
  const prompt = page.getByRole('table', { name: 'Changes in the prompt, from A to B' });
  await prompt.getByText('Removed: echo one > both.txt').waitFor();
  await prompt.getByText('Added: echo two > both.txt').waitFor();
  await page.getByText('(3 of 4 files differ)').waitFor();
  await file('same.txt').getByText('= The same change: +1 −0, New file').waitFor();
  await file('gone.txt').getByText('≠ A: +0 −1, Deleted file · B: not changed').waitFor();
  await file('new.txt').getByText('≠ B: +1 −0, New file · A: not changed').waitFor();
  const sides = file('both.txt').getByRole('table');
  expect(await sides.count()).toBe(2);
  await sides.first().getByText('Added: one').waitFor();
  await sides.last().getByText('Added: two').waitFor();
  // Equal files are collapsed, and expand by keyboard.
  expect(await file('same.txt').getByRole('table').count()).toBe(0);
  await file('same.txt').getByRole('button', { name: 'same.txt' }).press('Enter');
  await file('same.txt').getByRole('table').waitFor();
});

test('exactly two selected jobs can be compared, the older one first', async () => {
  await visit(page, '/jobs?project=compared&status=SUCCEEDED');
  const boxes = page.getByRole('checkbox', { name: /^Select echo 1/ });
  // The inputs are covered by their visible parts.
  await boxes.first().check({ force: true });
  expect(await button('Compare').count()).toBe(0);
  await boxes.last().check({ force: true });
  await button('Compare').click();
  await page.waitForURL(`**/compare?a=${one}&b=${other}`);
});

test('the history shows how each attempt ended, and links to its comparison with the newest', async () => {
  await visit(page, `/jobs/${retried}?tab=details`);
  const step = page.getByText('Attempt 1: Failed').locator('xpath=ancestor::li');
  await step.getByText(/ago\), ran \d+(\.\d+)? m?s, The process ended. Exit code 7/).waitFor();
  await page.getByText(/ago\), waited \d+(\.\d+)? m?s$/).waitFor();
  await page.getByText('Attempt 2 ended: Succeeded').waitFor();
  await step.getByRole('link', { name: 'Compare with attempt 2' }).click();
  await page.waitForURL(`**/compare?a=${retried}:1&b=${retried}:2`);
  await expect
    .poll(() => differing('Outcome', 'State').allTextContents())
    .toEqual(['Failed', 'Succeeded', '≠ Different']);
  expect(await differing('Outcome', 'Exit').allTextContents()).toEqual(['7', '0', '≠ Different']);
  await page.getByText('Settings are stored per job').waitFor();
  await page.getByText('Both received the same prompt.').waitFor();
  await page.getByRole('button', { name: 'Attempt of Attempt 1' }).click();
  await page.getByRole('option', { name: 'Attempt 2' }).click();
  await page.getByText('Both sides are the same attempt.').waitFor();
});

test('a job runs again with another model in two clicks, and is compared with its original', async () => {
  const id = await ended({ prompt: 'drill: tool echo first' });
  await visit(page, `/jobs/${id}`);
  await button('Run again with another model').click();
  await page.getByRole('menuitem', { name: 'Run again with quick-model' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/jobs/job_') && !url.pathname.includes(id));
  const copy = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  expect((await service.api('GET', `/jobs/${copy}`)).json).toMatchObject({ copied_from: id, model: 'quick-model' });
  await untilEnded(copy);
  await visit(page, `/jobs/${copy}?tab=details`);
  await page.getByRole('link', { name: 'Compare with the original' }).click();
  await page.waitForURL(`**/compare?a=${id}&b=${copy}`);
  await expect
    .poll(() => differing('Settings', 'Requested model').allTextContents())
    .toEqual(['default of the profile', 'quick-model', '≠ Different']);
  await page
    .getByRole('heading', { name: /^Final message/ })
    .first()
    .waitFor();
  await page.getByText('Input tokens', { exact: true }).waitFor();
});

test('the diff of a job is one click away', async () => {
  await visit(page, `/jobs/${one}`);
  await page.getByRole('tab', { name: 'Changes' }).click();
  await page.getByRole('table', { name: 'Changes in both.txt' }).waitFor();
});
