import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, type BrowserServer, chromium, type Page } from 'playwright-core';
import type { Role } from '../../../lib/contract/roles.ts';
import { builtConsole } from '../../../lib/local/run/console-build.ts';

/** The user of a page. A stranger has no role. */
type Visitor = Role | 'stranger';

/** Timeout (ms) of waiting in a page. */
export const PAGE_TIMEOUT_MS = 60_000;

/** By its arguments. Each ends with this process. */
const browsers = new Map<string, Promise<BrowserServer>>();

/**
 * Connects to Chromium, once the console is built, so that no page waits for the build. Files that run in one process use
 * one Chromium with the same arguments. Close the connection when done; that closes its pages.
 */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  await builtConsole();
  const key = args.join(' ');
  const started = browsers.get(key) ?? startChromium(args);
  browsers.set(key, started);
  return await chromium.connect((await started).wsEndpoint());
}

async function startChromium(args: readonly string[]): Promise<BrowserServer> {
  // The package's default arguments are for cloud functions: a single process and no web security.
  return await chromium.launchServer({
    host: '127.0.0.1',
    executablePath: await chromiumPath(),
    args: ['--no-zygote', '--disable-gpu', '--disable-background-networking', ...args],
    headless: true,
  });
}

/**
 * Opens a page of the console in a new browser context, signed in by the local run's one-click page.
 * @param options.path the first page, such as `/jobs`
 * @param options.context such as `{ viewport: { width: 360, height: 740 }, colorScheme: 'dark' }`
 */
export async function openAs(
  browser: Browser,
  consoleUrl: string,
  visitor: Visitor,
  options: { path?: string; context?: BrowserContextOptions } = {},
): Promise<Page> {
  const context = await browser.newContext({ baseURL: consoleUrl, reducedMotion: 'reduce', ...options.context });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
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

/** Submits the local run's sign-in page and waits for the page that it opens. */
export async function chooseRole(page: Page, visitor: Visitor): Promise<void> {
  await page.locator(`button[name=role][value=${visitor}]`).click();
  await page.locator(visitor === 'stranger' ? 'h1' : '#main').waitFor();
}

/**
 * The unpacked browser. It is unpacked beside its path and then moved there, because other test files may need it
 * at the same time.
 */
async function chromiumPath(): Promise<string> {
  const folder = join(tmpdir(), `promptq-chromium-${process.getuid?.() ?? 0}`);
  const path = join(folder, 'chromium');
  if (existsSync(path)) return path;
  const own = await mkdtemp(join(tmpdir(), 'promptq-unpack-'));
  // The package unpacks to the folder for temporary files. A separate process leaves this one's as it is.
  const unpack = "import('@sparticuz/chromium').then((chromium) => chromium.default.executablePath())";
  await promisify(execFile)(process.execPath, ['-e', unpack], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: own },
  });
  // Another test file was faster and has moved the same browser there.
  await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }));
  return path;
}
