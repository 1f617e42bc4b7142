import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The global that axe adds to a page. */
declare const axe: typeof import('axe-core');

/** Loads axe into a page for `axeViolations`, unless it is there. A page that is loaded again needs it again. */
export async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
}

/** All findings of axe of any impact, with their locations. */
export async function axeViolations(page: Page, options: RunOptions = {}): Promise<string[]> {
  return await page.evaluate(async (given) => {
    const { rules, ...others } = given;
    // Targets of at least 24 by 24 pixels are a rule of WCAG 2.2, which axe disables by default.
    const { violations } = await axe.run({
      ...others,
      rules: { 'target-size': { enabled: true }, ...rules },
      // Locations of all that passed would take a third of the time.
      resultTypes: ['violations'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 200)} ${node.failureSummary}`),
    );
  }, options);
}
