import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchLocalhost } from '../../lib/access/sign-in/localhost-fetch.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { checkScene, openScene } from './scenes/check-scene.ts';
import { SCENES } from './scenes/scenes.ts';
import { launchBrowser, openAs, PAGE_TIMEOUT_MS, stay, toNowhere, visit } from './setup/browser.ts';
import { makeSampleData, type SampleJobs } from './setup/sample-data.ts';
import { emptyLists } from './setup/stubs.ts';

/** Maximum size (bytes) of the first page: document, scripts and styles, compressed. */
const FIRST_LOAD = 350 * 1024;
/** Scenes of the main pages. `npm run prove -- accessibility` checks all scenes, with every rule in every look. */
const CHECKED: readonly string[] = [
  'jobs',
  'jobs-new',
  'questions',
  'stats',
  'projects',
  'profiles',
  'bindings',
  'api-tokens',
  'job-running-log',
  'job-ended-result',
  'reference-operation',
];

/** It enforces no scopes, and has no jobs until the scenes need some. */
let service: OwnService;
let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

test('an example fills in the form, and earlier unsent input stays', async () => {
  const page = await openAs(browser, service.consoleUrl, 'operator', { path: '/jobs/new' });
  const prompt = page.getByLabel('Prompt', { exact: true });
  await prompt.fill('half a thought');
  await visit(page, '/jobs');
  await heading(page, 'No jobs yet').waitFor();
  for (const name of ['Cancel jobs', 'Retry jobs', 'Kill jobs']) expect(await button(page, name).count()).toBe(0);
  await link(page, 'Run a script').click();
  await page.getByRole('button', { name: /^Profile shell/ }).waitFor();
  expect(await prompt.inputValue()).toContain('uname -a');
  await visit(page, '/jobs/new');
  await prompt.waitFor();
  expect(await prompt.inputValue()).toBe('half a thought');
  await stay(page);
});

test('a viewer is not asked to create anything', async () => {
  const page = await openAs(browser, service.consoleUrl, 'viewer');
  await heading(page, 'No jobs yet').waitFor();
  await page.getByText('ask an administrator').waitFor();
  expect(await link(page, 'Run a script').count()).toBe(0);
  expect(await page.getByText('curl').count()).toBe(0);
  await emptyLists(page);
  await visit(page, '/projects');
  await page.getByText('No projects yet').waitFor();
  expect(await link(page, 'New job').count()).toBe(0);
  await stay(page);
});

test('the token pages warn if scopes are not enforced', async () => {
  const admin = await openAs(browser, service.consoleUrl, 'admin', { path: '/api-tokens' });
  await admin.getByText('Scopes are not enforced here: every token has full access.').waitFor();
  await admin.getByRole('button', { name: 'Create token' }).click();
  const dialog = admin.getByRole('dialog');
  const note = dialog.getByText('Scopes are not enforced here: this token has full access.');
  await note.waitFor();
  await dialog.getByLabel('Name').fill('unlimited');
  await dialog.getByRole('button', { name: 'Create', exact: true }).click();
  await dialog.getByTestId('token').waitFor();
  await note.waitFor();
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await stay(admin);
});

test('the shown command creates a job, and a job without attachments explains how to keep files', async () => {
  const page = await openAs(browser, service.consoleUrl, 'operator');
  const command = await page.locator('pre', { hasText: 'curl' }).innerText();
  const env = { ...process.env, PROMPTQ_TOKEN: service.token };
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { env });
  const { json } = await service.api('GET', `/jobs/${JSON.parse(stdout).id}`);
  expect(json.prompt).toBe('Say hello');
  await waitFor(async () => (await service.api('GET', `/jobs/${json.id}/status?wait=25`)).json.status === 'SUCCEEDED');
  await visit(page, `/jobs/${json.id}?tab=attachments`);
  await page.getByText('No files').waitFor();
  await page.getByText('$PROMPTQ_ATTACHMENTS').waitFor();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByLabel('Search the timeline', { exact: true }).fill('there is no such word');
  await button(page, 'Clear all filters').click();
  await page.getByText('No matching events').waitFor({ state: 'detached' });
  await stay(page);
});

test('no script is inline or from another origin', async () => {
  const answer = await fetchLocalhost(`${service.consoleUrl}/jobs`);
  const policy = answer.headers.get('content-security-policy')?.split('; ');
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("default-src 'none'");
  const scripts = (await answer.text()).match(/<script\b[^>]*>[^<]*/g) ?? [];
  expect(scripts).toEqual([expect.stringMatching(/ src="\/assets\/[^"]+">$/)]);
});

test('the first page stays within its size budget', async () => {
  const signedIn = await openAs(browser, service.consoleUrl, 'admin');
  const context = await browser.newContext({
    baseURL: service.consoleUrl,
    storageState: await signedIn.context().storageState(),
  });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  const page = await context.newPage();
  const loading: Promise<{ path: string; size: number }>[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (!/^\/(api|auth)\//.test(pathname))
      loading.push(response.body().then((body) => ({ path: pathname, size: gzipSync(body).length })));
  });
  await page.goto('/jobs');
  await page.locator('#main h1:visible').first().waitFor();
  await page.waitForLoadState('networkidle');
  page.removeAllListeners('response');
  const files = await Promise.all(loading);
  await context.close();
  await stay(signedIn);
  expect(files.map(({ path }) => path)).toContain('/jobs');
  expect(files.filter(({ path }) => path.endsWith('.js')).length).toBeGreaterThan(0);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  console.log(`first load of /jobs: ${Math.round(total / 1024)} KiB compressed, in ${files.length} files`);
  expect(total).toBeLessThanOrEqual(FIRST_LOAD);
});

describe('with jobs in every state', () => {
  let admin: Page;
  let jobs: SampleJobs;
  /** Complaints of the browser: blocked by the content security policy, thrown, logged as an error. */
  const complaints: string[] = [];

  beforeAll(async () => {
    admin = await openAs(browser, service.consoleUrl, 'admin');
    jobs = await makeSampleData(service, admin);
    admin.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${admin.url()}: ${message.text()}`);
    });
    admin.on('pageerror', (error) => complaints.push(`${admin.url()}: ${error.message}`));
  });

  describe.each(SCENES.filter(({ name }) => CHECKED.includes(name)))('the scene $name', (scene) => {
    beforeAll(async () => {
      // The polls of the scene before it must not get the stubs of this one.
      await admin.unrouteAll({ behavior: 'ignoreErrors' });
      await toNowhere(admin);
      complaints.length = 0;
      await openScene(admin, scene, jobs, true);
    });

    test('is accessible', async () => {
      // Scrollable regions become focusable once the table has measured itself.
      await expect.poll(() => checkScene(admin, 'usual')).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });
});
