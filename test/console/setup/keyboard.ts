import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** More tab stops than any page has. */
const MAX_STOPS = 150;

/** Presses a key until the target has the focus. It is looked up once, and again if the page has replaced it. */
async function focusBy(page: Page, key: string, target: Locator, most: number): Promise<void> {
  let element = await target.elementHandle();
  for (let stops = 0; ; ) {
    const [isThere, isFocused] =
      (await element?.evaluate((found) => [found.isConnected, found.matches(':focus')])) ?? [];
    if (isFocused) return;
    if (!isThere) element = await target.elementHandle();
    else {
      if (stops === most) throw new Error(`${key} does not reach ${target}`);
      stops += 1;
      await page.keyboard.press(key);
    }
  }
}

/** Presses Tab until the target has the focus, and checks that the focus is visible. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  await focusBy(page, 'Tab', target, MAX_STOPS);
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
  await focusBy(page, 'ArrowRight', wanted, 10);
  await page.keyboard.press('Enter');
}
