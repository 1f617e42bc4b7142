import { useSyncExternalStore } from 'react';

const NARROW = window.matchMedia('(max-width: 700px)');

/** Whether the screen has no room for things beside each other; follows as the window changes. */
export function useNarrowScreen(): boolean {
  return useSyncExternalStore(
    (listener) => {
      NARROW.addEventListener('change', listener);
      return () => NARROW.removeEventListener('change', listener);
    },
    () => NARROW.matches,
  );
}
