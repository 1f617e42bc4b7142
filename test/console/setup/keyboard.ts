import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** More tab stops than any page has. */
const MAX_STOPS = 150;

const hasFocus = async (page: Page, target: Locator) => (await target.and(page.locator(':focus')).count()) > 0;

/** Presses Tab until the target has the focus, and checks that the focus is visible. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let stops = 0; !(await hasFocus(page, target)); stops += 1) {
    if (stops === MAX_STOPS) throw new Error(`Tab does not reach ${target}`);
    await page.keyboard.press('Tab');
  }
  expect(await page.evaluate<boolean>(IS_FOCUS_SEEN)).toBe(true);
}

/** Whether the browser shows the focus: an outline, a shadow, or what the component library draws before the element. */
const IS_FOCUS_SEEN = `((element) => {
  if (!element.matches(':focus-visible')) return false;
  const drawn = (style) => (style.outlineStyle !== 'none' && style.outlineWidth !== '0px') || style.boxShadow !== 'none';
  const before = getComputedStyle(element, '::before');
  return drawn(getComputedStyle(element)) || drawn(before) || (before.content !== 'none' && before.borderTopWidth !== '0px');
})(document.activeElement)`;

/** Presses Enter on a target. */
export async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

/** Opens a tab of the page by the arrow keys. */
export async function openTab(page: Page, name: string | RegExp): Promise<void> {
  const wanted = page.getByRole('tab', { name });
  await wanted.waitFor();
  await tabTo(page, page.getByRole('tab', { selected: true }));
  for (let stops = 0; !(await hasFocus(page, wanted)); stops += 1) {
    if (stops === 10) throw new Error(`the arrow keys do not reach ${name}`);
    await page.keyboard.press('ArrowRight');
  }
  await page.keyboard.press('Enter');
}
