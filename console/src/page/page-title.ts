import { useEffect, useSyncExternalStore } from 'react';

/** The title of the current page; empty while none is shown. */
let title = '';
const listeners = new Set<() => void>();

function change(next: string): void {
  title = next;
  for (const listener of listeners) listener();
}

/** Sets the title of the browser tab, of the history entry, and of the substitute heading. */
export function usePageTitle(name: string): void {
  useEffect(() => {
    document.title = `${name} - Promptq`;
    change(name);
    return () => change('');
  }, [name]);
}

/** The title of the current page; empty while its code loads. */
export function useShownPageTitle(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => title,
  );
}
