import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../api/job-client.ts';
import { axeViolations, loadAxe } from '../console/scenes/axe.ts';
import { launchBrowser, openAs, stay } from '../console/setup/browser.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';

/** After which a private folder counts as deleted. */
const FOLDER_KEPT_MS = 1_728;

let service: OwnService;
let browser: Browser;
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  await writeFile(join(home, 'secrets.env'), 'DEPLOY_KEY=1\n', { mode: 0o600 });
  browser = await launchBrowser();
  service = await startService({ home, env: { PROMPTQ_WORKSPACE_DAYS: String(FOLDER_KEPT_MS / 86_400_000) } });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await rm(home, { recursive: true, force: true });
});

const create = async (fields: Record<string, unknown>) => await createJob(service, fields);

// biome-ignore lint/suspicious/noExplicitAny: tests read responses freely
const jobOf = async (id: string): Promise<any> => (await service.api('GET', `/jobs/${id}`)).json;
const ended = async (id: string, status = 'SUCCEEDED') =>
  await waitFor(async () => (await jobOf(id)).status === status, { timeoutMs: 90_000 });
const open = async (id: string): Promise<Page> =>
  await openAs(browser, service.consoleUrl, 'operator', { path: `/jobs/${id}?tab=conversation` });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const promptOf = (page: Page) => page.getByLabel('Continue', { exact: true }).and(page.locator('textarea'));

/** Stores a shell profile; with a secret or without. */
async function putProfile(name: string, env: Record<string, unknown>): Promise<void> {
  const { status, text } = await service.api('POST', '/config/import', { profiles: [{ name, agent: 'shell', env }] });
  expect(status, text).toBe(200);
}

/** The job that a page opens after another one. */
async function openedAfter(page: Page, id: string): Promise<string> {
  await page.waitForURL(({ pathname }) => pathname.startsWith('/jobs/job_') && !pathname.includes(id));
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

test('a thread whose folder was deleted, and whose profile has got a secret, is continued when the user says so', async () => {
  await putProfile('release', {});
  const first = await create({ prompt: 'echo one >notes', profile: 'release' });
  await ended(first);
  const { finished_at } = await jobOf(first);
  await waitFor(() => Date.now() > Date.parse(finished_at) + FOLDER_KEPT_MS);
  await putProfile('release', { DEPLOY_KEY: { secret: 'DEPLOY_KEY' } });

  const page = await open(first);
  await promptOf(page).fill('ls; printenv DEPLOY_KEY >/dev/null && echo has the key');
  await button(page, 'Continue').click();
  await page.getByText('The folder of the thread was deleted, because no job has used it for').waitFor();
  expect(await page.locator('main').getByText('"fresh_folder"').count()).toBe(0);
  await loadAxe(page);
  expect(await axeViolations(page)).toEqual([]);
  await button(page, 'Continue in a new folder').click();
  await page
    .getByText('The profile "release" now has the secrets DEPLOY_KEY, which its thread did not begin with.')
    .waitFor();
  await button(page, 'Continue with the profile as it is now').click();
  const second = await openedAfter(page, first);
  await ended(second);
  expect(await jobOf(second)).toMatchObject({ continues: first, turn: 2, profile: 'release' });
  expect((await service.api('GET', `/jobs/${second}/logs`)).json.stdout).toBe('has the key\n');
  await stay(page);
});

test('a way to continue anyway belongs to the refused prompt', async () => {
  await putProfile('shared', {});
  const first = await create({ prompt: 'true', profile: 'shared', cwd: 'work' });
  await ended(first);
  await putProfile('shared', { DEPLOY_KEY: { secret: 'DEPLOY_KEY' } });
  const page = await open(first);
  await promptOf(page).fill('echo again');
  await button(page, 'Continue').click();
  await button(page, 'Continue with the profile as it is now').waitFor();
  await promptOf(page).fill('echo something else');
  await expect.poll(() => button(page, 'Continue with the profile as it is now').count()).toBe(0);
  expect((await service.api('GET', `/jobs?thread=${first}`)).json.items).toHaveLength(1);
  await stay(page);
});
