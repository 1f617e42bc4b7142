import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { openAs, sharedBrowser, visit } from '../setup/browser.ts';

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
/** A change of each kind. The added lines are hostile markup. */
const CHANGE = `printf 'one\\n<img src=x onerror="document.title=1"> \\xe2\\x80\\xae\\nthree\\n' > README.md
rm gone.txt; seq 1 600 > long.txt; chmod +x run.sh; printf '\\0\\1' > picture.png`;

let service: ServiceUnderTest;
let repository: GitServer;
let browser: Browser;
/** Signed in as operator, on a screen with room for two columns. */
let page: Page;
/** The job with that change. */
let id: string;

beforeAll(async () => {
  // Sequential, because each takes all cores for a while.
  browser = await sharedBrowser();
  service = await sharedService();
  repository = await startGitServer();
  await repository.commit({ 'README.md': 'one\ntwo\nthree\n', 'gone.txt': 'gone\n', 'run.sh': 'true\n' });
  await service.api('POST', '/jobs', { project: 'changed', prompt: 'true', draft: true });
  await service.api('PATCH', '/projects/changed', { repository: repository.url });
  id = await changed(CHANGE);
  const permissions = ['clipboard-read', 'clipboard-write'];
  const context: BrowserContextOptions = { viewport: WIDE, permissions, reducedMotion: 'reduce' };
  page = await openAs(browser, service.consoleUrl, 'operator', { context });
});

afterAll(async () => {
  await repository?.close();
});

/** Runs a job of the repository's project to its end. */
async function changed(prompt: string): Promise<string> {
  const { status, json } = await service.api('POST', '/jobs', { project: 'changed', prompt, profile: 'shell' });
  expect(status).toBe(201);
  await waitFor(async () => (await service.api('GET', `/jobs/${json.id}/status?wait=20`)).json.terminal);
  return json.id;
}

const file = (path: string) => page.getByRole('region', { name: path, exact: true });
const rows = (path: string) => file(path).getByRole('row');

test('a diff is shown file by file as plain text, with large files collapsed', async () => {
  await visit(page, `/jobs/${id}?tab=changes`);
  await rows('README.md').getByText('Added: <img src=x onerror="document.title=1"> ⟨U+202E⟩').waitFor();
  await rows('README.md').getByText('Removed: two').waitFor();
  expect(await page.locator('#main img').count()).toBe(0);
  await file('gone.txt').getByText('+0 −1 · Deleted file').waitFor();
  await file('run.sh').getByText('Mode changed from 100644 to 100755').waitFor();
  await file('picture.png').getByText('Binary files are not shown.').waitFor();
  await file('long.txt').getByText('+600 −0 · New file').waitFor();
  expect(await rows('long.txt').count()).toBe(0);
  // By keyboard alone, from the list of files.
  await page.getByRole('list', { name: 'Changed files' }).getByRole('link', { name: 'long.txt' }).press('Enter');
  await rows('long.txt')
    .getByText(/Added: 600$/)
    .waitFor();
  await page.waitForURL(/\?tab=changes#/);
  const fold = file('long.txt').getByRole('button', { name: 'long.txt', exact: true });
  await fold.press('Enter');
  await rows('long.txt').first().waitFor({ state: 'detached' });
});

test('the chosen layout is stored, and a narrow screen shows one column', async () => {
  await page.setViewportSize(WIDE);
  await visit(page, `/jobs/${id}?tab=changes`);
  const headings = file('README.md').getByRole('columnheader');
  await headings.first().waitFor({ state: 'attached' });
  expect(await headings.allTextContents()).toEqual(['Old line', 'New line', 'Change']);
  await page.getByRole('button', { name: 'Side by side' }).click();
  await expect.poll(() => headings.allTextContents()).toEqual(['Old line', 'Before', 'New line', 'After']);
  await page.reload();
  await expect.poll(() => headings.allTextContents()).toEqual(['Old line', 'Before', 'New line', 'After']);
  await page.setViewportSize(NARROW);
  await expect.poll(() => headings.allTextContents()).toEqual(['Old line', 'New line', 'Change']);
  await page.setViewportSize(WIDE);
  await page.getByRole('button', { name: 'Inline' }).click();
});

test('a missing diff leaves the summary, and an empty one is reported', async () => {
  await page.route(
    '**/attachments/**',
    async (route) => await route.fulfill({ status: 404, json: { error: 'not_found' } }),
  );
  await visit(page, `/jobs/${id}?tab=changes`);
  await page.getByText('The diff was not found').waitFor();
  await page.getByText('5 files changed, 601 insertions(+), 2 deletions(-)').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await visit(page, `/jobs/${await changed('true')}?tab=changes`);
  await page.getByText('No files were changed.').waitFor();
});
