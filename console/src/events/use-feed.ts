import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { beginningOf, type Event, type FeedFilters } from './feed-filters.ts';
import { followFeed, type Place } from './follow-feed.ts';

/** Events that are kept: a busy deployment has more than a browser can hold. */
const KEPT = 10_000;

export interface Feed {
  /** Newest first. */
  readonly events: readonly Event[];
  /** `reading`: older events than the newest are still being read. */
  readonly state: 'reading' | 'live' | 'trouble' | 'failed';
  readonly error?: Error;
  /** Whether events before the shown ones may have been removed for their age. */
  readonly missed: boolean;
  /** Whether older events that match were read, and are not kept. */
  readonly isCut: boolean;
}

const NOTHING: Feed = { events: [], state: 'reading', missed: false, isCut: false };

/**
 * The feed from its beginning on. It is not read while the tab is hidden, and then continues where it was. Use a `key`
 * for other filters.
 */
export function useFeed(filters: FeedFilters): Feed & { readonly retry: () => void } {
  const [feed, setFeed] = useState(NOTHING);
  const [tries, setTries] = useState(0);
  const place = useRef<Place>(undefined);
  const wanted = useRef(filters);
  const isVisible = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry reads again
  useEffect(() => {
    if (!isVisible) return;
    const stopped = new AbortController();
    const { since: _since, ...names } = wanted.current;
    const given = Object.fromEntries(Object.entries(names).filter(([, value]) => value !== ''));
    place.current ??= { since: beginningOf(wanted.current) };
    const reader: Parameters<typeof followFeed>[2] = {
      onPage: ({ items, next_cursor, has_more, missed }) => {
        place.current = { after: next_cursor };
        setFeed((before) => {
          const events = items.length === 0 ? before.events : [...items.toReversed(), ...before.events];
          return {
            events: events.slice(0, KEPT),
            state: has_more ? 'reading' : 'live',
            missed: before.missed || missed,
            isCut: before.isCut || events.length > KEPT,
          };
        });
      },
      onTrouble: (error) => setFeed((before) => ({ ...before, state: 'trouble', error })),
    };
    void followFeed(given, place.current, reader, stopped.signal).catch((error: Error) =>
      setFeed((before) => ({ ...before, state: 'failed', error })),
    );
    return () => stopped.abort();
  }, [isVisible, tries]);
  const retry = useCallback(() => {
    place.current = undefined;
    setFeed(NOTHING);
    setTries((before) => before + 1);
  }, []);
  return { ...feed, retry };
}

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
