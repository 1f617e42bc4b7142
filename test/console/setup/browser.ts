import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Browser,
  type BrowserContextOptions,
  type BrowserServer,
  type Cookie,
  chromium,
  type LaunchOptions,
  type Page,
} from 'playwright-core';
import type { Role } from '../../../lib/contract/roles.ts';
import { builtConsole } from '../../../lib/local/program/console-build.ts';
import { SharedPart } from '../../vitest/shared-part.ts';

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

const shared = new SharedPart<Browser>({
  start: launchBrowser,
  afterFile: closeForgotten,
  end: async (browser) => await browser.close(),
});

/**
 * The connection that files of one process share, and with it the pages that they have left: signing in and loading the
 * console takes a second. For files of the shared service.
 */
export async function sharedBrowser(): Promise<Browser> {
  return await shared.get();
}

/** Closes all pages but one of each kind that was left. */
async function closeForgotten(browser: Browser): Promise<void> {
  const { left } = visitsOf(browser);
  for (const [kind, pages] of left) left.set(kind, pages.slice(-1));
  const kept = new Set([...left.values()].flat().map((page) => page.context()));
  await Promise.all(browser.contexts().map(async (context) => kept.has(context) || (await context.close())));
}

/** Launches a Chromium for a program that closes it at its end. */
export async function launchOwnBrowser(args: readonly string[] = []): Promise<Browser> {
  await builtConsole();
  return await chromium.launch(await settings(args));
}

async function startChromium(args: readonly string[]): Promise<BrowserServer> {
  return await chromium.launchServer({ host: '127.0.0.1', ...(await settings(args)) });
}

async function settings(args: readonly string[]): Promise<LaunchOptions> {
  return {
    executablePath: await chromiumPath(),
    // The package's default arguments are for cloud functions: a single process and no web security.
    args: ['--no-zygote', '--disable-gpu', '--disable-background-networking', ...args],
    headless: true,
  };
}

interface Visit {
  /** The first page; `/jobs` by default. */
  readonly path?: string;
  /** Such as `{ viewport: { width: 360, height: 740 }, colorScheme: 'dark' }`. */
  readonly context?: BrowserContextOptions;
  /** Runs before the page is opened, for example to stub responses. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** For tests that end the session, or that look at it. */
  readonly session?: 'own';
}

/**
 * Opens a page of the console, signed in by the local run's one-click page. Pages of one visitor share a session, and
 * `leave` or `stay` lets the next page continue in an earlier one.
 */
export async function openAs(
  browser: Browser,
  consoleUrl: string,
  visitor: Visitor,
  { path = '/jobs', context, before, session }: Visit = {},
): Promise<Page> {
  const visits = visitsOf(browser);
  const kind = JSON.stringify([consoleUrl, visitor, context]);
  const left = session === 'own' ? undefined : visits.left.get(kind)?.pop();
  const cookies = session === 'own' ? undefined : visits.cookies.get(`${visitor} ${consoleUrl}`);
  const page = left ?? (await newPage(browser, consoleUrl, context, cookies));
  const isLoaded = left !== undefined && new URL(left.url()).pathname === NOWHERE;
  if (isLoaded) await page.evaluate(CLEAR_STORAGE);
  await before?.(page);
  if (isLoaded && !before) {
    await follow(page, path);
    await notFound(page).waitFor({ state: 'detached' });
  } else if (left ?? cookies) {
    await page.goto(path);
    await page.locator('#main').waitFor();
  } else {
    await page.goto(`/auth/sign-in?return_to=${encodeURIComponent(path)}`);
    await chooseRole(page, visitor);
  }
  if (session === 'own' || visitor === 'stranger') return page;
  if (!cookies) visits.cookies.set(`${visitor} ${consoleUrl}`, await page.context().cookies());
  visits.kinds.set(page, kind);
  return page;
}

/**
 * Ends a test's use of a page: `openAs` continues in it, without its routes and storage, which costs half of a new one.
 * Close the context instead if the test has changed anything else, such as the clock, the window or listeners.
 */
export async function leave(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // Without the console's scripts, which may store what was typed when they end.
  await page.goto(PLAIN_PAGE);
  await page.evaluate(CLEAR_STORAGE);
  offer(page);
}

/**
 * As `leave`, but the console stays loaded: `openAs` then only changes the address, which costs a fifth. A page that shows
 * a notice or a dialog of the frame is loaded again. Wait before for what a save shows, since it may open another page.
 * Not for tests that stub what the frame reads, or that change its appearance.
 */
export async function stay(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  if (await toNowhere(page)) offer(page);
  else await leave(page);
}

/** Lets `openAs` continue in a page. */
function offer(page: Page): void {
  const browser = page.context().browser();
  const visits = browser && visitsOf(browser);
  const kind = visits?.kinds.get(page);
  if (!visits || kind === undefined) throw new Error('only a page of a shared session can be left');
  visits.left.set(kind, [...(visits.left.get(kind) ?? []), page]);
}

/**
 * Opens a path within the loaded console, as a link does, but reads all that the page shows: a fifth of what a new load
 * costs. Loads it if a notice or a dialog of the frame is open.
 */
export async function visit(page: Page, path: string): Promise<void> {
  // From an address without a page, so that the page is set up also if it was open before.
  if (!(await toNowhere(page))) return void (await page.goto(path));
  await follow(page, path);
  await notFound(page).waitFor({ state: 'detached' });
}

/** Opens an address without a page. Returns whether nothing of the page before it is left. */
export async function toNowhere(page: Page): Promise<boolean> {
  // The page before it may still change the address, for example to that of its usual tab.
  do await follow(page, NOWHERE);
  while (!(await page.evaluate<boolean>(IS_NOWHERE)));
  return (await page.locator('dialog[open], [role=dialog], [aria-label=Dismiss]').count()) === 0;
}

const NOT_FOUND = 'Page not found';

const notFound = (page: Page) => page.locator('#main').getByRole('heading', { name: NOT_FOUND });

async function follow(page: Page, path: string): Promise<void> {
  const change = `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`;
  await page.evaluate(`${FORGET}; ${change}`);
}

/** A page of the console's origin without scripts. */
const PLAIN_PAGE = '/api/v1/session';

/** An address of the console without a page. */
const NOWHERE = '/nowhere';

/** Waits until the address without a page is shown, or is left. */
const IS_NOWHERE = `new Promise((done) => {
  const look = () => {
    if (document.querySelector('#main h1')?.textContent === '${NOT_FOUND}') done(true);
    else if (location.pathname !== '${NOWHERE}') done(false);
    else requestAnimationFrame(look);
  };
  look();
})`;

/**
 * Forgets what no open part of the console shows: it would not read that again for two seconds. The cache is a prop of one
 * of the outermost components.
 */
const FORGET = `((root) => {
  let fiber = root[Object.keys(root).find((name) => name.startsWith('__reactContainer'))].stateNode.current;
  while (!fiber.memoizedProps?.client?.removeQueries) fiber = fiber.child;
  fiber.memoizedProps.client.removeQueries({ type: 'inactive' });
})(document.getElementById('root'))`;

const CLEAR_STORAGE = 'localStorage.clear(); sessionStorage.clear()';

/** The sessions and pages of one connection to a browser. */
interface Visits {
  /** By visitor and console. */
  readonly cookies: Map<string, Cookie[]>;
  /** What a page was opened as. */
  readonly kinds: WeakMap<Page, string>;
  /** By kind. */
  readonly left: Map<string, Page[]>;
}

const visitsByBrowser = new WeakMap<Browser, Visits>();

function visitsOf(browser: Browser): Visits {
  const visits = visitsByBrowser.get(browser) ?? { cookies: new Map(), kinds: new WeakMap(), left: new Map() };
  visitsByBrowser.set(browser, visits);
  return visits;
}

async function newPage(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
  cookies: Cookie[] = [],
): Promise<Page> {
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  await context.addCookies(cookies);
  return await context.newPage();
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
