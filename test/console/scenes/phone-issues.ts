import type { Page } from 'playwright-core';

/** Touch targets: every button with a border or background, and every text field. */
const TOUCHED = [
  ':is(button, a):is([class*="awsui_variant-normal_"], [class*="awsui_variant-primary_"], [class*="awsui_variant-link_"])',
  '.status-tab',
  'input:is([type=text], [type=search], [type=date], [type=datetime-local], [type=number])',
].join();
/** Elements with texts of the console, not of a job. */
const LABELS = 'dt, th, label, button, [role=tab], [class*="awsui_status-indicator"]';
/** Minimum size (pixels) by WCAG 2.5.5. */
const TOUCH_PX = 44;

/** Runs in the page. */
const FIND_ISSUES = `(() => {
  const found = [];
  const { scrollWidth, clientWidth } = document.scrollingElement;
  if (scrollWidth > clientWidth) found.push('it scrolls sideways: ' + scrollWidth + ' px in ' + clientWidth);
  const shown = (selector) =>
    [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility({ visibilityProperty: true }));
  for (const element of shown('${TOUCHED}')) {
    const { height } = element.getBoundingClientRect();
    if (height > 1 && height < ${TOUCH_PX}) found.push(height + ' px high: ' + element.outerHTML.slice(0, 160));
  }
  for (const element of shown('${LABELS}')) {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const word of texts.currentNode.nodeValue.matchAll(/[A-Za-z]{2,20}/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) found.push('breaks inside ' + word[0]);
      }
    }
  }
  return found;
})()`;

/** What makes a page hard to use on a phone: horizontal scrolling, low controls, labels broken within words. */
export async function phoneIssues(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(FIND_ISSUES);
}
