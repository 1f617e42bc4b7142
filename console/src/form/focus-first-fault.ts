/**
 * Moves the focus to the first faulty field once the faults that were just set are shown; the browser scrolls it into view.
 * @param within such as `[role=dialog]`
 */
export function focusFirstFault(within = '#main'): void {
  onceShown(within, (field) => field.focus());
}

/** Scrolls to the first faulty field without the focus, which would open the list of one with suggestions over its fault. */
export function showFirstFault(within = '#main'): void {
  onceShown(within, (field) => field.scrollIntoView({ block: 'center' }));
}

/** Radio buttons are not marked as invalid themselves: the text of the fault describes their group. */
const FAULTY = '[aria-invalid=true], [role=radiogroup][aria-describedby*="-error"] input:checked';

/** How many frames a busy browser may take to draw the faults. */
const FRAMES = 120;

function onceShown(within: string, act: (field: HTMLElement) => void, left = FRAMES): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(`${within} :is(${FAULTY})`);
    if (field) act(field);
    else if (left > 0) onceShown(within, act, left - 1);
  });
}
