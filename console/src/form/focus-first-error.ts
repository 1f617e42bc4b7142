/**
 * Focuses the first invalid field once the errors are rendered. The browser scrolls it into view.
 * @param within a selector such as `[role=dialog]`
 */
export function focusFirstError(within = '#main'): void {
  onceShown(within, (field) => field.focus());
}

/** Scrolls to the first invalid field without focusing it: focus would open a field's suggestions over its error. */
export function scrollToFirstError(within = '#main'): void {
  onceShown(within, (field) => field.scrollIntoView({ block: 'center' }));
}

/** Radio buttons are not marked as invalid. The error text describes their group. */
const FAULTY = '[aria-invalid=true], [role=radiogroup][aria-describedby*="-error"] input:checked';

/** Maximum frames to wait for the errors to render. */
const FRAMES = 120;

function onceShown(within: string, act: (field: HTMLElement) => void, left = FRAMES): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(`${within} :is(${FAULTY})`);
    if (field) act(field);
    else if (left > 0) onceShown(within, act, left - 1);
  });
}
