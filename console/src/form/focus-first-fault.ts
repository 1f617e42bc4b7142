/**
 * Moves the focus to the first faulty field once the faults that were just set are shown; the browser scrolls it into view.
 * @param within such as `[role=dialog]`
 */
export function focusFirstFault(within = '#main'): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`${within} [aria-invalid=true]`)?.focus());
}
