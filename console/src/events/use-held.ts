import { useEffect, useState } from 'react';
import type { Event } from './feed-filters.ts';

/** Pixels down the page from which its rows must not move. */
const TOP_PX = 80;

/**
 * Holds a live list still for its reader: while the page is scrolled down, or as long as it is asked to.
 * @param events newest first
 */
export function useHeld(
  events: readonly Event[],
  isAsked: boolean,
): { readonly shown: readonly Event[]; readonly newer: number; readonly release: () => void } {
  const [isDown, setDown] = useState(false);
  const [newest, setNewest] = useState<string>();
  useEffect(() => {
    const listen = () => setDown(window.scrollY > TOP_PX);
    window.addEventListener('scroll', listen, { passive: true });
    return () => window.removeEventListener('scroll', listen);
  }, []);
  const isHeld = isDown || isAsked;
  const first = events[0]?.id;
  // Until it is held, the newest event moves on.
  if (!isHeld && newest !== first) setNewest(first);
  const at = isHeld ? events.findIndex(({ id }) => id === newest) : 0;
  return { shown: at > 0 ? events.slice(at) : events, newer: Math.max(0, at), release: () => setNewest(first) };
}
