import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchLocalhost } from '../../lib/access/sign-in/localhost-fetch.ts';
import { type OwnService, startService } from '../local-run/local-service.ts';
import { checkScene, openScene } from './scenes/check-scene.ts';
import { SCENES } from './scenes/scenes.ts';
import { launchBrowser, openAs, PAGE_TIMEOUT_MS, toNowhere } from './setup/browser.ts';
import { makeSampleData, type SampleJobs } from './setup/sample-data.ts';

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
];

let service: OwnService;
let browser: Browser;
let admin: Page;
let jobs: SampleJobs;
/** Complaints of the browser: blocked by the content security policy, thrown, logged as an error. */
const complaints: string[] = [];

beforeAll(async () => {
  browser = await launchBrowser();
  service = await startService();
  admin = await openAs(browser, service.consoleUrl, 'admin');
  jobs = await makeSampleData(service, admin);
  admin.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${admin.url()}: ${message.text()}`);
  });
  admin.on('pageerror', (error) => complaints.push(`${admin.url()}: ${error.message}`));
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
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
  const context = await browser.newContext({
    baseURL: service.consoleUrl,
    storageState: await admin.context().storageState(),
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
  expect(files.map(({ path }) => path)).toContain('/jobs');
  expect(files.filter(({ path }) => path.endsWith('.js')).length).toBeGreaterThan(0);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  console.log(`first load of /jobs: ${Math.round(total / 1024)} KiB compressed, in ${files.length} files`);
  expect(total).toBeLessThanOrEqual(FIRST_LOAD);
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
