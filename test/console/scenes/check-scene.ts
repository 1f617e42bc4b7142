import type { Page } from 'playwright-core';
import { visit } from '../setup/browser.ts';
import type { SampleJobs } from '../setup/sample-data.ts';
import { axeViolations, loadAxe } from './axe.ts';
import { phoneIssues } from './phone-issues.ts';
import type { Scene } from './scenes.ts';

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** The colour rules: the slowest, and the only ones that depend on the colour scheme. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
const NO_COLOURS = { rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])) };
/**
 * `thorough`: every rule, light and dark, wide and on a phone. `usual`: every rule in light and wide, then only the
 * colour rules in dark, and only the other rules on a phone.
 */
type Depth = 'thorough' | 'usual';

/**
 * Opens a scene in a wide window, light, and waits until it is complete.
 * @param isWithin whether the console is loaded, and stays so
 */
export async function openScene(
  page: Page,
  { name, path, before, act }: Scene,
  jobs: SampleJobs,
  isWithin = false,
): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.setViewportSize(WIDE);
  // A check during a colour transition would report wrong contrasts.
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await before?.(page);
  await (isWithin ? visit(page, path(jobs)) : page.goto(path(jobs)));
  await page.locator('#main h1:visible').first().waitFor();
  await act?.(page);
  if (name.startsWith('loading-')) return;
  await page.locator('#main [class*=spinner-rotator]').first().waitFor({ state: 'detached' });
}

/** The accessibility faults of an open page: findings of axe, and faults on a phone. It leaves the page as on a phone. */
export async function checkScene(page: Page, depth: Depth): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.locator('body:not(.awsui-dark-mode)').waitFor();
  await resize(page, WIDE);
  await loadAxe(page);
  const found = new Map<string, string>();
  const check = async (look: string, options: Parameters<typeof axeViolations>[1]) => {
    const faults = await axeViolations(page, depth === 'thorough' ? {} : options);
    for (const fault of faults) if (!found.has(fault)) found.set(fault, look);
  };
  await check('light', {});
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('body.awsui-dark-mode').waitFor();
  await check('dark', { runOnly: COLOURS });
  await resize(page, PHONE);
  await check('on a phone', NO_COLOURS);
  for (const issue of await phoneIssues(page)) found.set(issue, 'on a phone');
  if (depth === 'thorough') {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('body:not(.awsui-dark-mode)').waitFor();
    await check('on a phone, light', {});
  }
  return [...found].map(([fault, look]) => `${look}: ${fault}`);
}

async function resize(page: Page, size: typeof WIDE): Promise<void> {
  await page.setViewportSize(size);
  // After two frames, React and the size observers have rendered the change of width.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}
