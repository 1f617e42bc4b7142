import { truncate, unlink } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinedKey, receiptKey } from '../../../lib/jobs/output/output-keys.ts';
import { createJob } from '../../api/job-client.ts';
import { fileOfObject } from '../../local-run/kept-objects.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { axeViolations, loadAxe } from '../scenes/axe.ts';
import { openAs, sharedBrowser, visit } from '../setup/browser.ts';

let service: ServiceUnderTest;
let repository: GitServer;
let browser: Browser;
/** Signed in as operator. Each test opens its own address in it. */
let page: Page;

beforeAll(async () => {
  // Sequential, because each takes all cores for a while.
  browser = await sharedBrowser();
  service = await sharedService();
  repository = await startGitServer();
  page = await openAs(browser, service.consoleUrl, 'operator');
});

afterAll(async () => {
  await repository?.close();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
/** A line that the terminal shows, without the copies for screen readers elsewhere. */
const line = (text: string) => page.locator('.job-log').getByRole('listitem').getByText(text, { exact: true });

const create = async (fields: Record<string, unknown>) => await createJob(service, fields);

async function ended(id: string, attempt = 1): Promise<void> {
  await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}/status?wait=20`);
    return json.terminal && json.attempt === attempt;
  });
}

/** Downloads a file by a click and reads it. */
async function downloaded(click: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return { name: download.suggestedFilename(), text: await text(await download.createReadStream()) };
}

test('a log is searched, filtered by stream and attempt, and downloaded unchanged', async () => {
  const prompt = 'printf "\\033[32mgreen\\033[0m words\\n"; echo "to stderr" >&2; echo "another line"';
  const id = await create({ prompt, profile: 'shell' });
  await ended(id);
  await service.api('POST', `/jobs/${id}/retry`);
  await ended(id, 2);
  await visit(page, `/jobs/${id}`);
  // The colour sequence is rendered, not shown as characters.
  await line('green words').waitFor();
  await line('to stderr').waitFor();

  const search = page.getByRole('searchbox', { name: 'Search the log' });
  await search.fill('nowhere in it');
  await search.press('Enter');
  await page.getByText('Not found').waitFor();
  await search.fill('stderr');
  await page.getByText('Not found').waitFor({ state: 'detached' });
  await search.press('Enter');
  await expect.poll(() => page.locator('.job-log .xterm-selection div').count()).toBeGreaterThan(0);

  await page.getByRole('button', { name: 'stderr', exact: true }).click();
  await line('green words').waitFor({ state: 'detached' });
  await line('to stderr').waitFor();
  await page.getByRole('button', { name: 'Both', exact: true }).click();
  await page.getByRole('button', { name: /^Attempt/ }).click();
  await page.getByRole('option', { name: 'Attempt 1' }).click();
  await line('green words').waitFor();
  const { name, text } = await downloaded(() => button('Download').click());
  expect(name).toBe(`${id}-attempt-1.log`);
  const written = '==> stdout <==\n\u001b[32mgreen\u001b[0m words\nanother line\n\n==> stderr <==\nto stderr\n';
  expect(text).toBe(written);
});

test('the result of an earlier attempt stays readable after a retry', async () => {
  const id = await create({
    prompt: 'mkdir done && echo "the first time" || exit 4',
    profile: 'shell',
    project: 'twice',
  });
  await ended(id);
  await service.api('POST', `/jobs/${id}/retry`);
  await ended(id, 2);
  await visit(page, `/jobs/${id}?tab=result`);
  const outcome = (text: string) => page.getByRole('tabpanel').getByText(text, { exact: true });
  await outcome('Failed').waitFor();
  await page.getByRole('button', { name: /^Attempt/ }).click();
  await page.getByRole('option', { name: 'Attempt 1' }).click();
  await outcome('Succeeded').waitFor();
  await page.getByRole('tabpanel').getByText('the first time', { exact: true }).waitFor();
});

test('a long log shows its end, scrolls back, and downloads completely', async () => {
  const id = await create({ prompt: 'seq 1 260000; echo "the very end"', profile: 'shell' });
  await ended(id);
  await visit(page, `/jobs/${id}`);
  await line('the very end').waitFor();
  await page.getByText('This is the end of a long log').waitFor();
  const follow = page.getByRole('checkbox', { name: 'Follow' });
  expect(await follow.isChecked()).toBe(true);
  await page.locator('.job-log').hover();
  await page.mouse.wheel(0, -4_000);
  await expect.poll(() => follow.isChecked()).toBe(false);
  await line('the very end').waitFor({ state: 'detached' });
  await follow.check();
  await line('the very end').waitFor();

  const { text } = await downloaded(() => button('Download').click());
  const lines = text.trimEnd().split('\n');
  expect([lines.length, lines[0], lines[131_071], lines.at(-1)]).toEqual([260_001, '1', '131072', 'the very end']);
});

test('attachments are downloaded, whatever characters their paths have', async () => {
  const prompt = `cd "$PROMPTQ_ATTACHMENTS"; mkdir 'a b'; echo kept > 'a b/ü.txt'; echo all > '100%.md'`;
  const id = await create({ prompt, profile: 'shell' });
  await ended(id);
  await visit(page, `/jobs/${id}?tab=attachments`);
  const nested = await downloaded(() => page.getByRole('link', { name: 'a b/ü.txt' }).click());
  expect(nested).toEqual({ name: 'ü.txt', text: 'kept\n' });
  const percent = await downloaded(() => page.getByRole('link', { name: '100%.md' }).click());
  expect(percent.text).toBe('all\n');
});

test('a failed deployment is retried', async () => {
  const project = 'again';
  const command = 'test -e second || { touch second; echo "the first time fails"; exit 1; }';
  await service.api('POST', '/deploy-bindings', { project, binding_mode: 'custom', command });
  const id = await create({ prompt: 'true', profile: 'shell', project });
  await ended(id);
  await visit(page, `/jobs/${id}?tab=deployments`);
  await page.getByText('failed', { exact: true }).waitFor();
  await button('Retry deployment custom').click();
  await page.getByText('succeeded', { exact: true }).waitFor();
});

test('commands that wait for the folder say so', async () => {
  const project = 'held';
  await service.api('POST', '/deploy-bindings', { project, binding_mode: 'custom', command: 'true' });
  const id = await create({ prompt: 'true', profile: 'shell', project });
  await ended(id);
  const { json: job } = await service.api('GET', `/jobs/${id}`);
  const held = { state: 'pending', pending_reason: 'folder_busy', finished_at: null };
  const json = { ...job, deployments: [{ ...job.deployments[0], ...held }] };
  await page.route(`**/api/v1/jobs/${id}`, async (route) => await route.fulfill({ json }));
  await visit(page, `/jobs/${id}?tab=deployments`);
  await page.getByText('Waits for another job in the folder.').waitFor();
});

test('every editor link of the API can be opened, whatever the case of its scheme', async () => {
  const project = 'edited';
  for (const open_url of ['HTTPS://editor.example/?folder={cwd}', 'zed://file/{cwd}', 'vscode://file/{cwd}'])
    await service.api('POST', '/deploy-bindings', { project, binding_mode: 'hosted_editor', name: open_url, open_url });
  const id = await create({ prompt: 'true', profile: 'shell', project });
  await ended(id);
  const { json } = await service.api('GET', `/jobs/${id}`);
  const given = json.deployments.map(({ open_url }: { open_url: string }) => open_url).toSorted();
  await visit(page, `/jobs/${id}?tab=deployments`);
  const links = page.getByRole('link', { name: 'Open in the editor' });
  await links.first().waitFor();
  const shown = await Promise.all((await links.all()).map((link) => link.getAttribute('href')));
  expect(shown.toSorted()).toEqual(given);
  expect(given).toHaveLength(3);
});

test('a job that does not exist is reported as not found', async () => {
  await visit(page, '/jobs/job_4k2q0v9m6s8x1c3b5n7h2j4d6f');
  await page.getByText('The job was not found').waitFor();
});

test('missing output and a damaged record are reported in the log and in the result, light and dark', async () => {
  const id = await create({ prompt: 'echo 0123456789', profile: 'shell' });
  await ended(id);
  await unlink(await fileOfObject(service.home, joinedKey(id, 1, 'stdout')));
  await truncate(await fileOfObject(service.home, receiptKey(id, 1)), 4);
  await visit(page, `/jobs/${id}`);
  await page.getByText('stdout is missing.').waitFor();
  await visit(page, `/jobs/${id}?tab=result`);
  await page.getByText('Stored output is damaged').waitFor();
  await page.getByText("The record of the attempt can't be read. stdout is missing.").waitFor();
  await expect(page.getByText('No output.').count()).resolves.toBe(1);
  await loadAxe(page);
  expect(await axeViolations(page, { runOnly: ['color-contrast'] })).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.locator('body.awsui-dark-mode').waitFor();
  expect(await axeViolations(page, { runOnly: ['color-contrast'] })).toEqual([]);
  await page.emulateMedia({ colorScheme: null });
});

const tab = (name: string | RegExp) => page.getByRole('tab', { name });
const tabNames = async () => (await page.getByRole('tab').allTextContents()).map((name) => name.trim());

test('a script opens on its log, without the tabs of agents', async () => {
  const id = await create({ prompt: '#!/bin/bash\n# Check the links\necho one; exit 3', profile: 'shell' });
  await ended(id);
  await visit(page, `/jobs/${id}`);
  await page.waitForURL(/tab=log/);
  await page.getByRole('heading', { level: 1, name: 'Check the links', exact: true }).waitFor();
  await page.locator('.job-log-bar').getByText('Complete', { exact: true }).waitFor();
  expect(await page.locator('.job-log-bar [class*=status-success]').count()).toBe(0);
  expect(await tabNames()).toEqual(['Log', 'Result', 'Files', 'Details', 'Conversation', 'Attachments']);
  await tab('Details').click();
  await page.getByText(`promptq logs ${id}`).waitFor();
  await page.getByRole('button', { name: 'Copy as promptq: Retry' }).waitFor();
  await page.keyboard.press('2');
  await page.getByText('Run time').waitFor();
  expect(
    await page
      .getByRole('tabpanel')
      .getByText(/tokens|Final message|Cost/)
      .count(),
  ).toBe(0);
});

test('files of the folder are browsed, shown as text and downloaded', async () => {
  const script = String.raw`mkdir -p src/deep node_modules; echo '<b>not bold</b>' > src/deep/a.html; ln -s /etc/passwd link
    printf 'one\u202etwo\n' > README.md; printf 'a\0b' > binary`;
  const id = await create({ prompt: script, profile: 'shell' });
  await ended(id);
  await visit(page, `/jobs/${id}?tab=files`);
  const tree = page.getByRole('tree', { name: 'Files' });
  await tree.getByText('not kept: a link').waitFor();
  await tree.getByText('not kept: a folder that is left out').waitFor();
  await tree.getByRole('button', { name: 'a.html' }).click();
  await page.getByRole('region', { name: 'src/deep/a.html' }).getByText('<b>not bold</b>').waitFor();
  await tree.getByRole('button', { name: 'README.md' }).click();
  await page.getByText('one⟨U+202E⟩two').waitFor();
  await tree.getByRole('button', { name: 'binary' }).click();
  await page.getByText('This file is no text.').waitFor();
  const saved = await downloaded(() => page.getByRole('link', { name: 'binary' }).click());
  expect(saved).toEqual({ name: 'binary', text: 'a\0b' });
  await tree.getByRole('button', { name: 'Close src', exact: true }).click();
  await tree.getByText('deep', { exact: true }).waitFor({ state: 'hidden' });
  await loadAxe(page);
  expect(await axeViolations(page)).toEqual([]);
  await tab('Details').click();
  await page.getByText(`/workspaces/local_project/${id}/work`).waitFor();
});

test('attachments are counted, and a draft has no tabs of a run', async () => {
  const id = await create({
    prompt: 'echo x > "$PROMPTQ_ATTACHMENTS/a"; echo y > "$PROMPTQ_ATTACHMENTS/b"',
    profile: 'shell',
  });
  await ended(id);
  await visit(page, `/jobs/${id}`);
  await tab('Attachments (2)').waitFor();
  const draft = await create({ prompt: 'a draft', draft: true });
  await visit(page, `/jobs/${draft}`);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  expect(await tabNames()).toEqual(['Details']);
});

test("rebuilding the record needs confirmation and can't be repeated while its outcome is unknown", async () => {
  const id = await create({ prompt: 'true', profile: 'shell' });
  await ended(id);
  await visit(page, `/jobs/${id}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: /^Rebuild record/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It skips a running attempt.').waitFor();
  await dialog.getByRole('button', { name: 'Rebuild record' }).click();
  await page.getByText('The record is correct').waitFor();

  await page.route('**/reread-logs', async (route) => await route.abort());
  const open = async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Rebuild record/ }).click();
  };
  await open();
  await dialog.getByRole('button', { name: 'Rebuild record' }).click();
  await page.getByText('It is unknown whether the record was rebuilt').waitFor();
  await open();
  await dialog.getByText('it may still be running').waitFor();
  expect(await dialog.getByRole('button', { name: 'Rebuild record' }).isDisabled()).toBe(true);
  await page.unroute('**/reread-logs');
});
