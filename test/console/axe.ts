import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What that brings into a page. */
declare const axe: typeof import('axe-core');

/** Makes a page ready for `seriousFaults`, until another one is loaded. */
export async function bringAxe(page: Page): Promise<void> {
  await page.evaluate(AXE);
}

/** What axe finds that keeps people from using the page, each with where. */
export async function seriousFaults(page: Page, options: RunOptions = {}): Promise<string[]> {
  return await page.evaluate(async (given) => {
    const { violations } = await axe.run(given);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`));
  }, options);
}
