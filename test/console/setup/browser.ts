import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Role } from '../../../lib/contract/roles.ts';
import { builtConsole } from '../../../lib/local/run/console-build.ts';

/** As whom a page is signed in; a stranger has no role. */
type Visitor = Role | 'stranger';

/** How long (ms) a page may take to show what is waited for. */
export const PATIENCE = 60_000;

/** Starts Chromium, and sees to it that the console is built before the first page is waited for; close it when done. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  await builtConsole();
  // The package's own arguments are for functions in the cloud: one process for all, and no web security.
  return await chromium.launch({
    executablePath: await chromiumPath(),
    args: ['--no-zygote', '--disable-gpu', '--disable-background-networking', ...args],
    headless: true,
  });
}

/**
 * Opens a page of the console in a browser context of its own, signed in by the local run's one-click page.
 * @param options.path the page to begin at, such as `/jobs`
 * @param options.context such as `{ viewport: { width: 360, height: 740 }, colorScheme: 'dark' }`
 */
export async function openAs(
  browser: Browser,
  consoleUrl: string,
  visitor: Visitor,
  options: { path?: string; context?: BrowserContextOptions } = {},
): Promise<Page> {
  const context = await browser.newContext({ baseURL: consoleUrl, reducedMotion: 'reduce', ...options.context });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  await page.goto(`/auth/sign-in?return_to=${encodeURIComponent(options.path ?? '/jobs')}`);
  await chooseRole(page, visitor);
  return page;
}

/** Calls the API as scripts of the page do; `path` is relative to `/api/v1`. Returns the status. */
export async function callFromPage(page: Page, method: string, path: string, body?: unknown): Promise<number> {
  const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const call = `fetch(${JSON.stringify(`/api/v1${path}`)}, ${JSON.stringify(init)}).then(({ status }) => status)`;
  return await page.evaluate<number>(call);
}

/** Answers the local run's sign-in page, which the browser shows, and waits for where it leads. */
export async function chooseRole(page: Page, visitor: Visitor): Promise<void> {
  await page.locator(`button[name=role][value=${visitor}]`).click();
  await page.locator(visitor === 'stranger' ? 'h1' : '#main').waitFor();
}

/**
 * The unpacked browser. It is unpacked beside its place and moved there whole, because other test files may look for it
 * at the same time.
 */
async function chromiumPath(): Promise<string> {
  const folder = join(tmpdir(), `promptq-chromium-${process.getuid?.() ?? 0}`);
  const path = join(folder, 'chromium');
  if (existsSync(path)) return path;
  const before = process.env.TMPDIR;
  const own = await mkdtemp(join(tmpdir(), 'promptq-unpack-'));
  try {
    process.env.TMPDIR = own;
    await sparticuz.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  // A test file that was quicker has put the same there.
  await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }));
  return path;
}
