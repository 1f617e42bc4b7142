import { useSyncExternalStore } from 'react';

const NARROW = window.matchMedia('(max-width: 700px)');

/** Whether the screen is too narrow for side-by-side content. Updates when the window changes. */
export function useNarrowScreen(): boolean {
  return useSyncExternalStore(
    (listener) => {
      NARROW.addEventListener('change', listener);
      return () => NARROW.removeEventListener('change', listener);
    },
    () => NARROW.matches,
  );
}
