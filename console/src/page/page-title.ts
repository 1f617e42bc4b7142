import { useEffect, useSyncExternalStore } from 'react';

/** What the page that is shown is called; empty while none is. */
let title = '';
const listeners = new Set<() => void>();

function change(next: string): void {
  title = next;
  for (const listener of listeners) listener();
}

/** Names the page in the browser's tab and history, and in the heading that stands in for the page's own. */
export function usePageTitle(name: string): void {
  useEffect(() => {
    document.title = `${name} - Promptq`;
    change(name);
    return () => change('');
  }, [name]);
}

/** The name of the page that is shown; empty while its code loads. */
export function useShownPageTitle(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => title,
  );
}
